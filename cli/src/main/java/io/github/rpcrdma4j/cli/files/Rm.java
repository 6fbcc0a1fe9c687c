package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.cli.terminal.Progress;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.copy.TreeRemover;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Status;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Removes files from a server. */
@Command(
        name = "rm",
        description = "Remove files, or with -r trees, on a server.",
        footer = {"", "Example: rpcrdma rm rdma://server/export/old.txt"})
public final class Rm extends FilesCommand {
    @Option(
            names = {"-r", "--recursive"},
            description = "Remove directories with all below them.")
    private boolean recursive;

    @Option(
            names = {"-d", "--dir"},
            description = "Remove empty directories, too.")
    private boolean emptyDirectories;

    @Option(
            names = {"-f", "--force"},
            description = "A file that is not there is no failure.")
    private boolean force;

    @Parameters(
            arity = "1..*",
            paramLabel = "URL",
            description = "rdma://host[:port]/export/path, or nfs:// over TCP")
    private List<String> urls;

    private long removed;

    @Override
    List<String> urls() {
        return urls;
    }

    @Override
    boolean allowsNoMatch() {
        return force;
    }

    @Override
    void run(NfsMount mount, NfsUrl url) throws IOException, InterruptedException {
        var name = url.path().escaped();
        var file = mount.find(url.path());
        if (file.isEmpty()) {
            if (force) {
                return;
            }
            throw new NfsException("cannot remove " + name, Status.NOENT);
        }
        var place = mount.place(url.path());
        requireDirectory(url, file.get(), "cannot remove");
        if (!recursive) {
            if (file.get().attributes().isDirectory()) {
                if (!emptyDirectories) {
                    throw new NfsException("cannot remove " + name, Status.ISDIR);
                }
                mount.removeDirectory(url.path());
            } else {
                mount.remove(url.path());
            }
            removed++;
            if (remote.isVerbose()) {
                output.err().println(name);
            }
            return;
        }
        try (var progress = Progress.of("rm", Progress.Unit.FILES, output.err())) {
            remote.showIn(progress);
            progress.setNamed(remote.isVerbose());
            try {
                new TreeRemover(mount, remote.options(), progress).remove(place, file.get(), name);
            } finally {
                removed += progress.files();
            }
        }
    }

    @Override
    void end() {
        if (output.isJson()) {
            output.object(Map.of("removed", removed));
        }
    }
}
