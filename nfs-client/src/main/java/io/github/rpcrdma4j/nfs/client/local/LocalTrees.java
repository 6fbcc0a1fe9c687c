package io.github.rpcrdma4j.nfs.client.local;

import io.github.rpcrdma4j.linux.SystemCalls;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import io.github.rpcrdma4j.nfs.v3.FileType;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.Optional;

/** Chooses by what the files of a directory are used. */
final class LocalTrees {
    private LocalTrees() {}

    static LocalTree open(Path directory, String what) throws IOException {
        if (SystemCalls.missing().isEmpty()
                && directory.getFileSystem().equals(FileSystems.getDefault())) {
            Optional<LinuxTree> tree = LinuxTree.open(directory, what);
            if (tree.isPresent()) {
                return tree.get();
            }
        }
        return NioTree.open(directory, what);
    }

    /**
     * Refuses to rename a directory to a name below itself, for which systems have many words.
     *
     * @throws LocalException if that is asked for
     */
    static void requireNotBelow(LocalPath from, LocalPath to, String what) throws LocalException {
        var at = to;
        while (at.depth() > from.depth()) {
            at = at.directory();
        }
        if (to.depth() > from.depth() && at.names().equals(from.names())) {
            throw new LocalException(
                    what, Reason.OTHER, "a directory cannot be moved below itself");
        }
    }

    /**
     * Refuses to change a file that another process put in the place of one that was made. A file
     * that was made has one name; a second one shows that it was there before, under that name.
     *
     * @param type of the file that was made
     */
    static void requireMade(FileType type, LocalStatus now, String what) throws LocalException {
        if (now.type() != type || type != FileType.DIRECTORY && now.links() > 1) {
            throw new LocalException(what, Reason.OTHER, "another file has taken its place");
        }
    }

    /** The refusal of an owner that cannot be given to any file: to systems it says "as it is". */
    static void requireOwners(LocalChanges changes, String what) throws LocalException {
        if (changes.uid().orElse(0) == -1 || changes.gid().orElse(0) == -1) {
            throw new LocalException(what, Reason.NOT_PERMITTED, "no owner has this number");
        }
    }
}
