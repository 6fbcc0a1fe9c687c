package io.github.rpcrdma4j.nfs.client.local;

import static io.github.rpcrdma4j.nfs.client.local.LinuxFailures.check;
import static io.github.rpcrdma4j.nfs.client.local.LinuxFailures.checkName;

import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;

/** Renames a file of a {@link LinuxTree}, by names in open directories. */
final class LinuxRename {
    private LinuxRename() {}

    /**
     * Renames a file. An existing file or link of the new name is replaced, a directory is not.
     *
     * @param root the descriptor of the tree
     */
    static void run(Scratch scratch, int root, LocalPath file, LocalPath newFile, String what)
            throws LocalException {
        try (var from = OpenedPath.directory(scratch, root, file.directory(), what)) {
            int at = from.descriptor();
            // Usual case: a complete file gets its final name in the same directory. The directory
            // is resolved once.
            if (file.directory() == newFile.directory()) {
                run(scratch, at, file, at, newFile, what);
                return;
            }
            try (var to = OpenedPath.directory(scratch, root, newFile.directory(), what)) {
                run(scratch, at, file, to.descriptor(), newFile, what);
            }
        }
    }

    private static void run(
            Scratch scratch,
            int directory,
            LocalPath file,
            int newDirectory,
            LocalPath newFile,
            String what)
            throws LocalException {
        long name = OpenedPath.name(scratch, Scratch.LONG_NAME, file.name(), what);
        long newName = OpenedPath.name(scratch, Scratch.OTHER_LONG_NAME, newFile.name(), what);
        int result =
                Kernel.renameat2(
                        scratch, directory, name, newDirectory, newName, Kernel.RENAME_NOREPLACE);
        // Some file systems do not support the flag.
        if (result != -Errno.EXIST && result != -Errno.INVAL) {
            check(result, what);
            return;
        }
        if (type(scratch, directory, name, what) == FileType.DIRECTORY) {
            LocalTrees.requireNotBelow(file, newFile, what);
            requireFree(scratch, newDirectory, newName, what);
        }
        checkName(Kernel.renameat2(scratch, directory, name, newDirectory, newName, 0), what);
    }

    /**
     * Refuses to rename a directory over an existing file: the kernel would replace an empty
     * directory.
     */
    private static void requireFree(Scratch scratch, int directory, long name, String what)
            throws LocalException {
        try {
            boolean isDirectory = type(scratch, directory, name, what) == FileType.DIRECTORY;
            throw new LocalException(
                    what, isDirectory ? Reason.IS_A_DIRECTORY : Reason.NOT_A_DIRECTORY);
        } catch (LocalException failure) {
            if (failure.reason() != Reason.MISSING) {
                throw failure;
            }
        }
    }

    private static FileType type(Scratch scratch, int directory, long name, String what)
            throws LocalException {
        try (var opened = OpenedPath.of(scratch, directory, name, what)) {
            return LinuxAttributes.type(scratch, opened.descriptor(), what);
        }
    }
}
