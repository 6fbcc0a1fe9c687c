package io.github.rpcrdma4j.nfs.server.store.nio;

import io.github.rpcrdma4j.nfs.server.store.Failure;
import io.github.rpcrdma4j.nfs.server.store.StoreException;
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
 * What a failure of {@code java.nio.file} means. Its types tell some; for the others it has only
 * the words of the operating system, in whatever language that speaks. So the words are not read:
 * the file system is looked at instead. What cannot be seen so, a quota for example, is {@link
 * Failure#IO}. Other runtime exceptions are mistakes of ours, and go on.
 */
final class Failures {
    /** With less room than this a file system is full: a directory wants a block. */
    private static final long ROOM_MIN = 4096;

    /** The longest path that an operating system takes. */
    private static final int PATH_MAX = 4096;

    private Failures() {}

    /** Why a name or the attributes of a file could not be changed, or read. */
    static StoreException ofChange(Exception failure, Path file) {
        return new StoreException(change(failure, file));
    }

    /**
     * Why bytes could not be moved.
     *
     * @param bytes how much room they need
     * @param end where in the file the last of them goes
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

    /** Null if the type says nothing. */
    private static Failure ofType(Exception failure) {
        return switch (failure) {
            case NoSuchFileException _ -> Failure.NOENT;
            case FileAlreadyExistsException _ -> Failure.EXIST;
            case DirectoryNotEmptyException _ -> Failure.NOTEMPTY;
            case NotDirectoryException _ -> Failure.NOTDIR;
            case AccessDeniedException _ -> Failure.ACCES;
            case AtomicMoveNotSupportedException _ -> Failure.XDEV;
            case FileSystemLoopException _ -> Failure.INVAL;
            // The call is not carried out; its thread stays interrupted.
            case ClosedByInterruptException _ -> Failure.AGAIN;
            case OpenFiles.TooManyException _ -> Failure.AGAIN;
            case IOException _ -> null;
            case ReadOnlyFileSystemException _ -> Failure.ROFS;
            case UnsupportedOperationException _ -> Failure.NOTSUPP;
            case SecurityException _ -> Failure.ACCES;
            case InvalidPathException _ -> Failure.INVAL;
            case RuntimeException mistake -> throw mistake;
            default -> throw new AssertionError("no other is checked", failure);
        };
    }

    /** Null if the file system has room and can be written. */
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

    /** Whether the whole file system has not so many bytes. */
    private static boolean isBeyond(Path file, long end) {
        try {
            return end > Files.getFileStore(there(file)).getTotalSpace();
        } catch (IOException | RuntimeException _) {
            return false;
        }
    }

    /** A new file has a directory at least. Links are not followed. */
    private static Path there(Path file) {
        boolean usable =
                Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !Files.isSymbolicLink(file);
        return usable || file.getParent() == null ? file : file.getParent();
    }

    /** Whether the file is of another user than this process. */
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
