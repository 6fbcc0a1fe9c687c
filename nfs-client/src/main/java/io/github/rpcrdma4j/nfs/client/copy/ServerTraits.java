package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.file.Modes;
import io.github.rpcrdma4j.nfs.client.service.AccessRight;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import java.io.IOException;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Finds out what the file systems of a server make of new files: by a temporary file, or in a trial
 * by what the server grants. Asks once for each file system. Thread-safe.
 *
 * <p>Tests: {@code MappedTargetsTest}.
 */
final class ServerTraits {
    private static final int WRITE_OF_OWNER = 0200;
    private static final int WRITE_OF_ALL = WRITE_OF_OWNER | Modes.WRITE_OF_OTHERS;

    private final RemoteFiles remote;
    private final CopyContext context;
    private final boolean isTrial;

    private final RememberedTraits known = new RememberedTraits();

    ServerTraits(RemoteFiles remote, boolean isTrial) {
        this.remote = remote;
        this.context = remote.context();
        this.isTrial = isTrial;
    }

    /**
     * Returns the question for the file system that holds a copy.
     *
     * @param there the copy
     * @param name for messages
     */
    NewFileTraits.Asking of(RemotePlace target, RemoteFile there, String name) {
        var what = "cannot write " + name;
        var asking =
                new NewFileTraits.Asking() {
                    @Override
                    public NewFileTraits ask() throws IOException, InterruptedException {
                        return isTrial
                                ? granted(target.directory(), there, what)
                                : made(target, what);
                    }

                    @Override
                    public boolean givesTo(int group) throws IOException, InterruptedException {
                        // Nothing but a new file shows it, and a trial makes none.
                        return isTrial || isGiven(group, target, what);
                    }
                };
        // What a trial learns, it learns of one file.
        return isTrial ? asking : known.of(there.attributes().fileSystem(), asking);
    }

    private boolean isGiven(int group, RemotePlace target, String what)
            throws IOException, InterruptedException {
        var wanted = AttributeChanges.NONE.withOwner(OptionalInt.empty(), OptionalInt.of(group));
        return withNewFile(target, wanted, what).gid() == group;
    }

    private NewFileTraits made(RemotePlace target, String what)
            throws IOException, InterruptedException {
        var wanted = AttributeChanges.ofMode(Modes.FILLING_FILE | Modes.SET_IDS);
        var now = withNewFile(target, wanted, what);
        boolean keepsSetIds = (now.mode() & Modes.SET_IDS) == Modes.SET_IDS;
        return new NewFileTraits(OptionalInt.of(now.uid()), keepsSetIds);
    }

    /**
     * Makes a temporary file, changes it, and returns the attributes that it then has. The server
     * may refuse the change, but not the file.
     */
    private FileAttributes withNewFile(RemotePlace target, AttributeChanges wanted, String what)
            throws IOException, InterruptedException {
        var name = TemporaryName.of(target.name(), RunningProcess.current());
        var temporary = new RemotePlace(target.directory(), name);
        try {
            var made = WorkerGroup.runUninterrupted(() -> remote.create(temporary, what)).handle();
            try {
                context.mount().change(made, wanted, what);
            } catch (NfsException refused) {
                if (!refused.isOfOwner()) {
                    throw refused;
                }
            }
            return context.service().attributes(made, what);
        } finally {
            remote.discard(temporary);
        }
    }

    /**
     * Returns the traits as far as a server tells them without a new file: it grants what only the
     * owner of a file may do. To root it may grant everything, which shows at the root of the
     * export. If the mode of the file lets others write too, or not even its owner, its directory
     * tells, or else the root of the export.
     *
     * @param what for messages
     */
    private NewFileTraits granted(FileHandle directory, RemoteFile file, String what)
            throws IOException, InterruptedException {
        int owner = file.attributes().uid();
        var asked = file;
        if (!tells(asked, owner)) {
            asked = new RemoteFile(directory, context.service().attributes(directory, what));
        }
        if (!tells(asked, owner)) {
            asked = context.mount().resolve(context.mount().export());
        }
        boolean isOwner =
                tells(asked, owner)
                        && isGranted(asked, what)
                        && !(context.attributes().user().isRoot() && isAll(owner, what));
        return isOwner ? new NewFileTraits(OptionalInt.of(owner), true) : NewFileTraits.USUAL;
    }

    /** Returns whether the server grants what a user may not do. */
    private boolean isAll(int user, String what) throws IOException, InterruptedException {
        // Version 2 has no such question.
        if (context.service().version() == NfsVersion.VERSION_2) {
            return false;
        }
        var root = context.mount().resolve(context.mount().export());
        return isOwners(root.attributes())
                && root.attributes().uid() != user
                && isGranted(root, what);
    }

    /** Returns whether the right to write to a file shows that the server takes us for a user. */
    private static boolean tells(RemoteFile file, int user) {
        return file.attributes().uid() == user && isOwners(file.attributes());
    }

    /** Returns whether the mode lets the owner write, and nobody else. */
    private static boolean isOwners(FileAttributes file) {
        return file.type() != FileType.SYMBOLIC_LINK
                && (file.mode() & WRITE_OF_ALL) == WRITE_OF_OWNER;
    }

    private boolean isGranted(RemoteFile file, String what)
            throws IOException, InterruptedException {
        var asked = Set.of(AccessRight.MODIFY);
        return context.service().access(file.handle(), asked, what).containsAll(asked);
    }
}
