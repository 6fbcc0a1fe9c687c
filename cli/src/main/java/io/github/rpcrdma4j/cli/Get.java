package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.Copier;
import io.github.rpcrdma4j.nfs.client.NfsException;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsMount.RemoteFile;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.TreeCopier;
import io.github.rpcrdma4j.nfs.client.local.LocalNames;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Copies files from a server. */
@Command(
        name = "get",
        description = {
            "Copy a file, or with -r a tree, from a server.",
            "A file that cannot be copied is reported; the others are still copied."
        },
        footer = {
            "",
            "Example: rpcrdma get -r rdma://server/export/directory .",
            "Into a pipe: rpcrdma get rdma://server/export/all.tar - | tar x"
        })
final class Get implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "URL", description = "rdma://host[:port]/export/path")
    private String url;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "TARGET",
            defaultValue = ".",
            description = "A local file or directory (this directory); - is standard output.")
    private String target;

    @Mixin private final CopyCommand options = new CopyCommand();
    @Mixin private final Remote remote = new Remote();
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        var parsed = NfsUrl.parse(url);
        if (target.isEmpty()) {
            throw new IllegalArgumentException("the TARGET is an empty name");
        }
        if (NfsUrl.isUrl(target)) {
            throw new IllegalArgumentException(
                    "get copies from a server to this machine: name a local file or directory, not "
                            + target);
        }
        var err = spec.commandLine().getErr();
        var stream = StandardStream.of(target);
        return options.run(
                "get",
                remote,
                parsed,
                // A bar would overwrite the output that shares its terminal.
                stream.isPresent() && Terminal.isOutput()
                        ? Progress.withoutBar(err)
                        : Progress.of("get", Progress.Unit.BYTES, err),
                err,
                (mount, copier) -> copy(mount, copier, parsed, stream));
    }

    private void copy(NfsMount mount, Copier copier, NfsUrl url, Optional<OutputStream> stream)
            throws IOException, InterruptedException {
        var name = url.path().escaped();
        boolean follows = !options.keepsLinks() || url.isDirectory();
        var source = mount.resolve(url.path(), follows);
        boolean directory = source.attributes().isDirectory();
        if (url.isDirectory() && !directory) {
            throw new NfsException("cannot read " + url, Status.NOTDIR);
        }
        if (directory && !options.isRecursive()) {
            throw new IOException(name + " is a directory: copy it with -r");
        }
        if (stream.isPresent()) {
            if (directory) {
                throw new IOException(name + " is a directory: " + target + " takes a file");
            }
            copier.stream(source, name, stream.get());
            return;
        }
        var local = RawArguments.path(target);
        if (Files.isDirectory(local)) {
            into(copier, source, name, local.resolve(LocalNames.path(ownName(url).bytes())));
        } else if (target.endsWith("/") && (!directory || Files.exists(local))) {
            throw new IOException(
                    "cannot write "
                            + target
                            + (Files.exists(local) ? ": not a directory" : ": no such directory"));
        } else {
            into(copier, source, name, local);
        }
    }

    private static FileName ownName(NfsUrl url) throws IOException {
        return url.name()
                .filter(name -> !name.isDots())
                .orElseThrow(
                        () ->
                                new IOException(
                                        url
                                                + " ends with no name of its own: give a target"
                                                + " that is not there yet"));
    }

    private void into(Copier copier, RemoteFile source, String name, Path local)
            throws IOException, InterruptedException {
        copier.sweep(local.toAbsolutePath().getParent());
        if (source.attributes().type() != FileType.REGULAR) {
            if (!options.isRecursive()) {
                throw new IOException(
                        "cannot read " + name + ": it is no regular file, copy it with -r");
            }
            new TreeCopier(copier, _ -> true).get(source, name, local);
        } else if (isStream(local)) {
            try (var out = new NamedOutput(Files.newOutputStream(local), target)) {
                copier.stream(source, name, out);
            }
        } else {
            // As with cp, an existing link stays, and the file that it leads to is replaced.
            boolean exists = Files.exists(local);
            if (!exists && Files.isSymbolicLink(local)) {
                throw new IOException(
                        "cannot write " + target + ": it is a link to a file that is not there");
            }
            copier.get(source, name, exists ? local.toRealPath() : local);
        }
    }

    /** A pipe or device; messages of failed writes contain its name. */
    private static final class NamedOutput extends FilterOutputStream {
        private final String name;

        NamedOutput(OutputStream out, String name) {
            super(out);
            this.name = name;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            try {
                out.write(bytes, offset, length);
            } catch (IOException failure) {
                throw new IOException(
                        "cannot write " + name + ": " + failure.getMessage(), failure);
            }
        }
    }

    /**
     * Returns whether the target is written in place rather than replaced: a pipe, a terminal, the
     * null device.
     */
    private static boolean isStream(Path local) {
        return Files.exists(local) && !Files.isRegularFile(local) && !Files.isDirectory(local);
    }
}
