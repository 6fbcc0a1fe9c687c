package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.file.Modes;
import io.github.rpcrdma4j.nfs.client.local.LocalChanges;
import io.github.rpcrdma4j.nfs.client.local.LocalException;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges.TimeChange;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Gives copies the mode, times and owner of their sources. As with {@code cp -p}, a user who may
 * not give files away stays their owner; the copies then lose the set-user-ID and set-group-ID
 * bits. For root this counts as a failure. Thread-safe.
 *
 * <p>Tests: {@code TreesTest}, {@code CopiedAttributesTest}.
 */
final class AttributePreserver {
    private final CopyingUser user = new CopyingUser(ProcessCredential.read());
    private final Unkept owners = new Unkept();
    private final Unkept times = new Unkept();

    /** Changes attributes of one file. */
    private interface Change {
        /**
         * Sets these attributes.
         *
         * @return false if the owner cannot be set; nothing was changed then
         */
        boolean to(OptionalInt uid, OptionalInt gid, int mode)
                throws IOException, InterruptedException;
    }

    /**
     * Gives a file on a server the attributes of a local file, but not its access control lists.
     *
     * @param name for messages
     */
    void keep(NfsMount mount, FileHandle file, LocalSource kept, String name)
            throws IOException, InterruptedException {
        var source = kept.status();
        var what = "cannot keep the attributes of " + name;
        var accessed = mount.service().nearest(source.accessed());
        var modified = mount.service().nearest(source.modified());
        if (!accessed.equals(source.accessed()) || !modified.equals(source.modified())) {
            times.add(name);
        }
        boolean isLink = source.type() == FileType.SYMBOLIC_LINK;
        apply(
                source.uid(),
                source.gid(),
                kept.acls().modeWithout(source.mode()),
                name,
                (uid, gid, mode) -> {
                    var permissions = isLink ? OptionalInt.empty() : OptionalInt.of(mode);
                    var rest =
                            new AttributeChanges(
                                    permissions,
                                    uid,
                                    gid,
                                    AttributeChanges.NONE.size(),
                                    new TimeChange.To(accessed),
                                    new TimeChange.To(modified));
                    try {
                        // A change of the owner clears these bits, even if the same call sets the
                        // mode.
                        if ((mode & Modes.SET_IDS) != 0 && (uid.isPresent() || gid.isPresent())) {
                            set(mount, file, AttributeChanges.NONE.withOwner(uid, gid), what);
                            set(mount, file, rest.withoutOwner(), what);
                        } else {
                            set(mount, file, rest, what);
                        }
                        return true;
                    } catch (NfsException refused) {
                        if (refused.isOfOwner() && (uid.isPresent() || gid.isPresent())) {
                            return false;
                        }
                        throw refused;
                    }
                });
    }

    private static void set(NfsMount mount, FileHandle file, AttributeChanges changes, String what)
            throws IOException, InterruptedException {
        mount.change(file, changes, what);
    }

    /** Returns whether a file system refuses a change of a file whose owner cannot have it. */
    static boolean isOfOwner(LocalException.Reason reason) {
        return reason == LocalException.Reason.NOT_PERMITTED
                || reason == LocalException.Reason.UNSUPPORTED;
    }

    /**
     * Gives a local file the attributes of a file on a server, but not its access control lists.
     *
     * @param name for messages
     */
    void keep(LocalCopy file, RemoteSource kept, String name)
            throws IOException, InterruptedException {
        var source = kept.attributes();
        apply(
                source.uid(),
                source.gid(),
                kept.acls().modeWithout(source.mode()),
                name,
                (uid, gid, mode) -> {
                    var changes =
                            new LocalChanges(
                                    uid,
                                    gid,
                                    OptionalInt.of(mode),
                                    Optional.of(source.accessed()),
                                    Optional.of(source.modified()));
                    try {
                        file.change(changes);
                        return true;
                    } catch (LocalException refused) {
                        if (isOfOwner(refused.reason()) && (uid.isPresent() || gid.isPresent())) {
                            return false;
                        }
                        throw refused;
                    }
                });
    }

    private void apply(int uid, int gid, int mode, String name, Change change)
            throws IOException, InterruptedException {
        var none = OptionalInt.empty();
        if (user.mayGive(uid) && change.to(OptionalInt.of(uid), OptionalInt.of(gid), mode)) {
            return;
        }
        owners.add(name);
        // Users may give their files to groups that they are in.
        int lesser = Modes.withoutOwner(mode);
        if (!change.to(none, OptionalInt.of(gid), lesser)) {
            change.to(none, none, lesser);
        }
    }

    /** Returns the user who makes the copies. */
    CopyingUser user() {
        return user;
    }

    /**
     * Returns and clears the failures to report. An owner that was not kept is a failure for root
     * alone; for other users it is expected.
     */
    List<IOException> takeFailures() {
        var failures = new ArrayList<IOException>();
        if (user.isRoot()) {
            owners.take("the owner", "operation not permitted").ifPresent(failures::add);
        }
        times.take("the times", "NFS version 3 has none before 1970 and after 2106")
                .ifPresent(failures::add);
        return failures;
    }
}
