package io.github.rpcrdma4j.nfs.directories.nio;

import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.ReadOnlyFileSystemException;

/**
 * Translates failures of {@code java.nio.file}. Some have types of their own; the others have only
 * a message of the operating system, in any language. This class does not parse messages; it
 * inspects the file system instead. A failure without a visible cause, such as a quota, becomes
 * {@link Failure#IO}. Other runtime exceptions are internal errors and are thrown on.
 */
final class Failures {
    /** A file system with less space is full, since a directory needs a block. */
    private static final long ROOM_MIN = 4096;

    /** The longest path of an operating system, in characters. */
    private static final int PATH_MAX = 4096;

    private Failures() {}

    /** Returns the failure of a change or a read of a name or of attributes. */
    static StoreException ofChange(Exception failure, Path file) {
        return new StoreException(change(failure, file));
    }

    /**
     * Returns the failure of a transfer of data.
     *
     * @param bytes the space that the data needs, in bytes
     * @param end the offset after its last byte, in bytes
     */
    static StoreException ofData(Exception failure, Path file, long bytes, long end) {
        var typed = ofType(failure);
        if (typed != null) {
            return new StoreException(typed);
        }
        var store = ofStore(file, bytes);
        if (store != null) {
            return new StoreException(store);
        }
        return new StoreException(isBeyond(file, end) ? Failure.NOSPC : Failure.IO);
    }

    private static Failure change(Exception failure, Path file) {
        var typed = ofType(failure);
        if (typed != null) {
            return typed;
        }
        var store = ofStore(file, ROOM_MIN);
        if (store != null) {
            return store;
        }
        if (isDefault(file) && file.toString().length() >= PATH_MAX) {
            return Failure.NAMETOOLONG;
        }
        return isForeign(file) ? Failure.PERM : Failure.IO;
    }

    /** Returns the failure by the exception type; null if the type is too general. */
    private static Failure ofType(Exception failure) {
        return switch (failure) {
            case NoSuchFileException _ -> Failure.NOENT;
            case FileAlreadyExistsException _ -> Failure.EXIST;
            case DirectoryNotEmptyException _ -> Failure.NOTEMPTY;
            case NotDirectoryException _ -> Failure.NOTDIR;
            case AccessDeniedException _ -> Failure.ACCES;
            case AtomicMoveNotSupportedException _ -> Failure.XDEV;
            case FileSystemLoopException _ -> Failure.INVAL;
            // The call fails, and its thread stays interrupted.
            case ClosedByInterruptException _ -> Failure.AGAIN;
            case OpenFiles.TooManyException _ -> Failure.AGAIN;
            case IOException _ -> null;
            case ReadOnlyFileSystemException _ -> Failure.ROFS;
            case UnsupportedOperationException _ -> Failure.NOTSUPP;
            case SecurityException _ -> Failure.ACCES;
            case InvalidPathException _ -> Failure.INVAL;
            case RuntimeException error -> throw error;
            default -> throw new AssertionError("no other is checked", failure);
        };
    }

    /**
     * Returns the failure by the state of the file system; null if it has space and is writable.
     */
    private static Failure ofStore(Path file, long bytes) {
        try {
            var store = Files.getFileStore(there(file));
            if (store.isReadOnly()) {
                return Failure.ROFS;
            }
            return store.getUsableSpace() < Math.max(bytes, ROOM_MIN) ? Failure.NOSPC : null;
        } catch (IOException | RuntimeException _) {
            return null;
        }
    }

    /** Returns whether an offset exceeds the total space of the file system. */
    private static boolean isBeyond(Path file, long end) {
        try {
            return end > Files.getFileStore(there(file)).getTotalSpace();
        } catch (IOException | RuntimeException _) {
            return false;
        }
    }

    /** Returns the file, or its directory if the file does not exist or is a symbolic link. */
    private static Path there(Path file) {
        boolean usable =
                Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !Files.isSymbolicLink(file);
        return usable || file.getParent() == null ? file : file.getParent();
    }

    /** Returns whether the file belongs to a user other than that of this process. */
    private static boolean isForeign(Path file) {
        try {
            var own =
                    file.getFileSystem()
                            .getUserPrincipalLookupService()
                            .lookupPrincipalByName(System.getProperty("user.name"));
            return isDefault(file) && !Files.getOwner(file, LinkOption.NOFOLLOW_LINKS).equals(own);
        } catch (IOException | RuntimeException _) {
            return false;
        }
    }

    private static boolean isDefault(Path file) {
        return file.getFileSystem().equals(FileSystems.getDefault());
    }
}
