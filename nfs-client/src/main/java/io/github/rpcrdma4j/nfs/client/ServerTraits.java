package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.client.NfsMount.RemoteFile;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import java.io.IOException;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds out what the file systems of a server make of new files: by a temporary file, or in a trial
 * by what the server grants. Asks once for each file system. Thread-safe.
 */
final class ServerTraits {
    private static final int WRITE_OF_OTHERS = 0022;

    private final Copier copier;
    private final boolean isTrial;

    /** By the numbers of file systems. */
    private final Map<Long, NewFileTraits> known = new ConcurrentHashMap<>();

    ServerTraits(Copier copier, boolean isTrial) {
        this.copier = copier;
        this.isTrial = isTrial;
    }

    /**
     * Returns the question for the file system that holds a copy.
     *
     * @param there the copy
     * @param name for messages
     */
    NewFileTraits.Asking of(DirOpArgs target, RemoteFile there, String name) {
        var what = "cannot write " + name;
        if (isTrial) {
            return () -> granted(target.directory(), there, what);
        }
        return () -> {
            long fileSystem = there.attributes().fileSystemId();
            var traits = known.get(fileSystem);
            if (traits == null) {
                traits = made(target, what);
                known.put(fileSystem, traits);
            }
            return traits;
        };
    }

    private NewFileTraits made(DirOpArgs target, String what) throws InterruptedException {
        var name = TemporaryName.of(target.name(), RunningProcess.current());
        var temporary = new DirOpArgs(target.directory(), name);
        var remote = copier.remote();
        try {
            var made = WorkerGroup.runUninterrupted(() -> remote.create(temporary, what)).handle();
            var wanted = SetAttributes.ofMode(Modes.FILLING_FILE | Modes.SET_IDS);
            copier.mount().change(made, wanted, what);
            var now = copier.client().call(new Nfs3Call.GetAttributes(made), what);
            boolean keepsSetIds = (now.mode() & Modes.SET_IDS) == Modes.SET_IDS;
            return new NewFileTraits(OptionalInt.of(now.uid()), keepsSetIds);
        } catch (IOException _) {
            // A new file for the copy will fail for the same reason, which is reported then.
            return NewFileTraits.USUAL;
        } finally {
            remote.discard(temporary);
        }
    }

    /**
     * Returns the traits as far as a server tells them without a new file: it grants what only the
     * owner of a file may do. To root it may grant everything, which shows at the root of the
     * export. If the mode of the file lets others write too, its directory tells.
     *
     * @param what for messages
     */
    private NewFileTraits granted(FileHandle directory, RemoteFile file, String what)
            throws IOException, InterruptedException {
        var asked = file;
        if (!isOwners(file.attributes())) {
            var call = new Nfs3Call.GetAttributes(directory);
            asked = new RemoteFile(directory, copier.client().call(call, what));
        }
        int owner = file.attributes().uid();
        boolean isOwner =
                asked.attributes().uid() == owner
                        && isOwners(asked.attributes())
                        && isGranted(asked, what)
                        && !(copier.attributes().isRoot() && isAll(owner, what));
        return isOwner ? new NewFileTraits(OptionalInt.of(owner), true) : NewFileTraits.USUAL;
    }

    /** Returns whether the server grants what a user may not do. */
    private boolean isAll(int user, String what) throws IOException, InterruptedException {
        // Version 2 has no such question.
        if (copier.options().version() == NfsVersion.VERSION_2) {
            return false;
        }
        var root = copier.mount().resolve(copier.mount().export());
        return isOwners(root.attributes())
                && root.attributes().uid() != user
                && isGranted(root, what);
    }

    /** Returns whether the mode lets the owner alone write. */
    private static boolean isOwners(FileAttributes file) {
        return file.type() != FileType.SYMBOLIC_LINK && (file.mode() & WRITE_OF_OTHERS) == 0;
    }

    private boolean isGranted(RemoteFile file, String what)
            throws IOException, InterruptedException {
        var asked = new Nfs3Call.Access(file.handle(), Nfs3.ACCESS_MODIFY);
        return (copier.client().call(asked, what) & Nfs3.ACCESS_MODIFY) != 0;
    }
}
