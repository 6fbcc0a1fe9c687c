package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.cli.terminal.RawArguments;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Optional;

/**
 * The second path of a command that works within one export, such as {@code mv}.
 *
 * @param command its name, for messages
 * @param verb what it does, for messages: {@code "rename"}
 */
record OtherPath(String command, String verb) {
    /** Refuses a source that is a file of this machine. */
    void requireRemote(String source) {
        if (!NfsUrl.isUrl(source) && Files.exists(RawArguments.path(source))) {
            throw new IllegalArgumentException(
                    command
                            + " works on a server, and "
                            + source
                            + " is here: use put to copy it to a server");
        }
    }

    /**
     * Returns the URL that the user means.
     *
     * @param target a URL, or a path from the top of the server
     */
    NfsUrl of(NfsUrl from, String target) throws IOException {
        if (!NfsUrl.isUrl(target)) {
            if (!target.startsWith("/")) {
                throw new IllegalArgumentException(
                        "the target is a path from the top of the server, such as "
                                + from.path().escaped()
                                + ", or a URL; not "
                                + target
                                + " (get copies to this machine)");
            }
            return from.withPath(target);
        }
        var other = NfsUrl.parse(target);
        if (!other.server().equals(from.server())) {
            throw new IOException(command + " works on one server: use get and put between two");
        }
        return other;
    }

    /**
     * Returns the new path of a file. An existing directory receives the file under its own name.
     *
     * @throws IOException if the file cannot have this path
     */
    PathName resolve(NfsMount mount, NfsUrl from, RemoteFile file, NfsUrl to)
            throws IOException, InterruptedException {
        if (!mount.holds(to.path())) {
            throw new IOException(
                    what(from.path(), to.path())
                            + ": that is not below the export "
                            + mount.export().escaped());
        }
        var found = target(mount, from, to, file.attributes().isDirectory());
        var what = what(from.path(), found);
        requireElsewhere(from.path(), found, what);
        requireOther(file, mount.find(found), what);
        return found;
    }

    /** Returns the start of messages: {@code "cannot rename /a to /b"}. */
    String what(PathName from, PathName to) {
        return "cannot " + verb + " " + from.escaped() + " to " + to.escaped();
    }

    private static void requireElsewhere(PathName from, PathName to, String what)
            throws IOException {
        var inside = to.below(from);
        if (inside.isPresent()) {
            throw new IOException(
                    what
                            + (inside.get().names().isEmpty()
                                    ? ": they are the same file"
                                    : ": that is below itself"));
        }
    }

    /** Refuses two hard links of one file: RENAME would succeed and leave both (RFC 1813). */
    private static void requireOther(RemoteFile file, Optional<RemoteFile> there, String what)
            throws IOException {
        if (there.isPresent()
                && there.get().attributes().fileId() == file.attributes().fileId()
                && there.get().attributes().fileSystem().equals(file.attributes().fileSystem())) {
            throw new IOException(what + ": they are the same file");
        }
    }

    private PathName target(NfsMount mount, NfsUrl from, NfsUrl to, boolean directory)
            throws IOException, InterruptedException {
        var there = mount.target(to.path());
        if (there.file().isPresent() && there.file().get().attributes().isDirectory()) {
            var own = from.name().orElseThrow();
            return to.path().resolve(own);
        }
        if (to.isDirectory() && (there.file().isPresent() || !directory)) {
            throw new NfsException(
                    "cannot " + verb + " to " + to,
                    there.file().isPresent() ? Status.NOTDIR : Status.NOENT);
        }
        return to.path();
    }
}
