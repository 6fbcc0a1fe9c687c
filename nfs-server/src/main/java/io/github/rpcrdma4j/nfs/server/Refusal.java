package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.v3.Status;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.ReadOnlyFileSystemException;
import java.util.Locale;

/** An operation is not carried out, with the status that the client gets. */
final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;
    private final Status status;

    Refusal(Status status) {
        super(status.words(), null, false, false);
        this.status = status;
    }

    Status status() {
        return status;
    }

    /** The status for what a file system threw. */
    static Status of(Exception failure) {
        return switch (failure) {
            case Refusal refusal -> refusal.status;
            case NoSuchFileException _ -> Status.NOENT;
            case FileAlreadyExistsException _ -> Status.EXIST;
            case DirectoryNotEmptyException _ -> Status.NOTEMPTY;
            case NotDirectoryException _ -> Status.NOTDIR;
            case AccessDeniedException _ -> Status.ACCES;
            case AtomicMoveNotSupportedException _ -> Status.XDEV;
            case FileSystemLoopException _ -> Status.INVAL;
            // The client is to try again later.
            case FileSystemException busy when OpenFiles.isForTooMany(busy) -> Status.JUKEBOX;
            case FileSystemException known -> ofWords(known.getReason());
            case IOException other -> ofWords(other.getMessage());
            case ReadOnlyFileSystemException _ -> Status.ROFS;
            case UnsupportedOperationException _ -> Status.NOTSUPP;
            case SecurityException _ -> Status.ACCES;
            case IllegalArgumentException _ -> Status.INVAL;
            default -> Status.SERVERFAULT;
        };
    }

    /** java.nio.file has no types for these: the operating system's own words tell them apart. */
    private static Status ofWords(String words) {
        var text = words == null ? "" : words.toLowerCase(Locale.ROOT);
        if (text.contains("no space left") || text.contains("out of disk space")) {
            return Status.NOSPC;
        }
        if (text.contains("quota")) {
            return Status.DQUOT;
        }
        if (text.contains("read-only file system")) {
            return Status.ROFS;
        }
        if (text.contains("name too long")) {
            return Status.NAMETOOLONG;
        }
        if (text.contains("too large")) {
            return Status.FBIG;
        }
        if (text.contains("is a directory")) {
            return Status.ISDIR;
        }
        if (text.contains("not a directory")) {
            return Status.NOTDIR;
        }
        if (text.contains("not empty")) {
            return Status.NOTEMPTY;
        }
        if (text.contains("cross-device") || text.contains("invalid cross")) {
            return Status.XDEV;
        }
        if (text.contains("too many links")) {
            return Status.MLINK;
        }
        if (text.contains("not permitted")) {
            return Status.PERM;
        }
        if (text.contains("permission denied")) {
            return Status.ACCES;
        }
        if (text.contains("invalid argument")) {
            return Status.INVAL;
        }
        if (text.contains("too many levels") || text.contains("symbolic link")) {
            return Status.INVAL;
        }
        return Status.IO;
    }
}
