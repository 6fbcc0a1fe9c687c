package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.Umask;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Status;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes directories on a server. */
@Command(
        name = "mkdir",
        description = "Make directories on a server.",
        footer = {"", "Example: rpcrdma mkdir -p rdma://server/export/a/b"})
public final class Mkdir extends FilesCommand {
    /** The permissions that a symbolic mode changes, as with mkdir(1). */
    private static final int ALL = 0777;

    @Option(
            names = {"-p", "--parents"},
            description = "Also make the directories above; one that is there is no failure.")
    private boolean parents;

    @Option(
            names = {"-m", "--mode"},
            paramLabel = "MODE",
            description = "The mode of the new directory, as with chmod, such as 700.")
    private String mode;

    @Parameters(
            arity = "1..*",
            paramLabel = "URL",
            description = "rdma://host[:port]/export/path, or nfs:// over TCP")
    private List<String> urls;

    private ModeChange change;

    @Override
    List<String> urls() {
        return urls;
    }

    @Override
    boolean takesPatterns() {
        // They are names of directories that do not exist.
        return false;
    }

    @Override
    void prepare() {
        if (mode != null) {
            change = ModeChange.parse(mode, Umask.current());
        }
    }

    @Override
    void run(NfsMount mount, NfsUrl url) throws IOException, InterruptedException {
        var made = parents ? makeAll(mount, url.path()) : Optional.of(make(mount, url.path()));
        if (change != null && made.isPresent()) {
            correctMode(mount, made.get(), "cannot set the mode of " + url.path().escaped());
        }
        changed(mount, url.path());
    }

    /** Makes the directory of a URL with its mode from the start, so that no other user gets in. */
    private FileHandle makeLast(NfsMount mount, PathName path)
            throws IOException, InterruptedException {
        return change == null
                ? mount.makeDirectory(path)
                : mount.makeDirectory(path, change.apply(ALL, true));
    }

    private FileHandle make(NfsMount mount, PathName path)
            throws IOException, InterruptedException {
        try {
            return makeLast(mount, path);
        } catch (NfsException refused) {
            if (refused.status() == Status.NOENT) {
                throw new IOException(
                        refused.getMessage() + " (-p also makes the directories above)", refused);
            }
            throw refused;
        }
    }

    /**
     * Sets the mode of a new directory if the server gave another one, for example by the umask of
     * its process. Its path may lead to another directory by now.
     */
    private void correctMode(NfsMount mount, FileHandle made, String what)
            throws IOException, InterruptedException {
        int given = mount.service().attributes(made, what).mode();
        int wanted = change.apply(ALL | given & ~ALL, true);
        if (wanted != given) {
            mount.change(made, AttributeChanges.ofMode(wanted), what);
        }
    }

    /** Makes the missing directories of a path; returns the last one unless it was there. */
    private Optional<FileHandle> makeAll(NfsMount mount, PathName path)
            throws IOException, InterruptedException {
        var names = path.below(mount.export()).orElseThrow().names();
        var at = mount.export();
        var made = Optional.<FileHandle>empty();
        for (int i = 0; i < names.size(); i++) {
            at = at.resolve(names.get(i));
            // Another client may make the same directory meanwhile.
            var there = mount.target(at).file();
            if (there.isEmpty()) {
                try {
                    if (i == names.size() - 1) {
                        made = Optional.of(makeLast(mount, at));
                    } else {
                        mount.makeDirectory(at);
                    }
                } catch (NfsException exists) {
                    if (exists.status() != Status.EXIST) {
                        throw exists;
                    }
                    there = mount.target(at).file();
                }
            }
            if (there.isPresent() && !there.get().attributes().isDirectory()) {
                throw new NfsException("cannot make " + path.escaped(), Status.EXIST);
            }
        }
        return made;
    }
}
