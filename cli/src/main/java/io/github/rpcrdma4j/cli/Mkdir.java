package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.NfsException;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.Umask;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes directories on a server. */
@Command(
        name = "mkdir",
        description = "Make directories on a server.",
        footer = {"", "Example: rpcrdma mkdir -p rdma://server/export/a/b"})
final class Mkdir extends FilesCommand {
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

    @Parameters(arity = "1..*", paramLabel = "URL", description = "rdma://host[:port]/export/path")
    private List<String> urls;

    private ModeChange change;

    @Override
    List<String> urls() {
        return urls;
    }

    @Override
    void prepare() {
        if (mode != null) {
            change = ModeChange.parse(mode, Umask.current());
        }
    }

    @Override
    void run(NfsMount mount, NfsUrl url) throws IOException, InterruptedException {
        boolean isNew = !parents || mount.find(url.path()).isEmpty();
        if (parents) {
            makeAll(mount, url.path());
        } else {
            make(mount, url.path());
        }
        if (change != null && isNew) {
            correctMode(mount, url.path());
        }
        changed(mount, url.path());
    }

    /** Makes the directory of a URL with its mode from the start, so that no other user gets in. */
    private void makeLast(NfsMount mount, PathName path) throws IOException, InterruptedException {
        if (change == null) {
            mount.makeDirectory(path);
        } else {
            mount.makeDirectory(path, change.apply(ALL, true));
        }
    }

    private void make(NfsMount mount, PathName path) throws IOException, InterruptedException {
        try {
            makeLast(mount, path);
        } catch (NfsException refused) {
            if (refused.status() == Status.NOENT) {
                throw new IOException(
                        refused.getMessage() + " (-p also makes the directories above)", refused);
            }
            throw refused;
        }
    }

    /** Sets the mode if the server gave another one, for example by the umask of its process. */
    private void correctMode(NfsMount mount, PathName path)
            throws IOException, InterruptedException {
        var made = mount.resolve(path);
        int given = made.attributes().mode();
        int wanted = change.apply(ALL | given & ~ALL, true);
        if (wanted != given) {
            mount.change(
                    made.handle(),
                    SetAttributes.ofMode(wanted),
                    "cannot set the mode of " + path.escaped());
        }
    }

    private void makeAll(NfsMount mount, PathName path) throws IOException, InterruptedException {
        var names = path.below(mount.export()).orElseThrow().names();
        var at = mount.export();
        for (int i = 0; i < names.size(); i++) {
            at = at.resolve(names.get(i));
            // Another client may make the same directory meanwhile.
            var there = mount.target(at).file();
            if (there.isEmpty()) {
                try {
                    if (i == names.size() - 1) {
                        makeLast(mount, at);
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
    }
}
