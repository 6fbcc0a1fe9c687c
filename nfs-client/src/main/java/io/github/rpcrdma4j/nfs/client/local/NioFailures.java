package io.github.rpcrdma4j.nfs.client.local;

import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.nio.file.ReadOnlyFileSystemException;
import java.util.Map;

/**
 * Converts exceptions of {@code java.nio.file} to {@link LocalException}. Some types name the
 * reason. Otherwise only the system's message does: known English messages give a reason, and other
 * messages are shown as they are.
 */
final class NioFailures {
    /** Messages of operating systems for errors without a Java exception type. */
    private static final Map<String, Reason> WORDS =
            Map.ofEntries(
                    Map.entry("Operation not permitted", Reason.NOT_PERMITTED),
                    Map.entry("Not a directory", Reason.NOT_A_DIRECTORY),
                    Map.entry("Is a directory", Reason.IS_A_DIRECTORY),
                    Map.entry("Directory not empty", Reason.NOT_EMPTY),
                    Map.entry("Too many levels of symbolic links", Reason.LINK),
                    Map.entry("No space left on device", Reason.NO_SPACE),
                    Map.entry("There is not enough space on the disk", Reason.NO_SPACE),
                    Map.entry("out of disk space", Reason.NO_SPACE),
                    Map.entry("Disk quota exceeded", Reason.QUOTA),
                    Map.entry("Disc quota exceeded", Reason.QUOTA),
                    Map.entry("Read-only file system", Reason.READ_ONLY),
                    Map.entry("File too large", Reason.TOO_LARGE),
                    Map.entry("File name too long", Reason.NAME_TOO_LONG),
                    Map.entry("Illegal byte sequence", Reason.BAD_NAME),
                    Map.entry("Too many open files", Reason.TOO_MANY_OPEN),
                    Map.entry("Operation not supported", Reason.UNSUPPORTED),
                    Map.entry("Function not implemented", Reason.UNSUPPORTED),
                    Map.entry("Invalid cross-device link", Reason.ANOTHER_FILE_SYSTEM),
                    Map.entry("Cross-device link", Reason.ANOTHER_FILE_SYSTEM),
                    Map.entry("Input/output error", Reason.INPUT_OUTPUT));

    private NioFailures() {}

    /**
     * Converts an exception of a file system.
     *
     * @param failure an {@link IOException}, or a runtime exception of a file system; any other
     *     runtime exception is a bug and is thrown
     */
    static IOException of(Exception failure, String what) {
        return switch (failure) {
            case LocalException known -> known;
            case InterruptedIOException known -> known;
            case ClosedByInterruptException _ -> {
                var interrupted =
                        new InterruptedIOException(
                                what + ": the thread was interrupted, which closed the file");
                interrupted.initCause(failure);
                yield interrupted;
            }
            case NoSuchFileException _ -> new LocalException(what, Reason.MISSING);
            case FileAlreadyExistsException _ -> new LocalException(what, Reason.EXISTS);
            case DirectoryNotEmptyException _ -> new LocalException(what, Reason.NOT_EMPTY);
            case NotDirectoryException _ -> new LocalException(what, Reason.NOT_A_DIRECTORY);
            case AccessDeniedException _ -> new LocalException(what, Reason.DENIED);
            case AtomicMoveNotSupportedException _ ->
                    new LocalException(what, Reason.ANOTHER_FILE_SYSTEM);
            case FileSystemLoopException _ -> new LocalException(what, Reason.LINK);
            case NotLinkException _ ->
                    new LocalException(what, Reason.OTHER, "not a symbolic link");
            case FileSystemException other -> ofWords(other.getReason(), what);
            case IOException other -> ofWords(other.getMessage(), what);
            case ReadOnlyFileSystemException _ -> new LocalException(what, Reason.READ_ONLY);
            case UnsupportedOperationException _ -> new LocalException(what, Reason.UNSUPPORTED);
            case SecurityException _ -> new LocalException(what, Reason.DENIED);
            case InvalidPathException _ -> new LocalException(what, Reason.BAD_NAME);
            case RuntimeException mistake -> throw mistake;
            default -> throw new AssertionError("no other is checked", failure);
        };
    }

    private static LocalException ofWords(String words, String what) {
        if (words == null || words.isBlank()) {
            return new LocalException(what, Reason.OTHER);
        }
        for (var each : WORDS.entrySet()) {
            if (words.contains(each.getKey())) {
                return new LocalException(what, each.getValue());
            }
        }
        return new LocalException(what, Reason.OTHER, words.lines().findFirst().orElseThrow());
    }
}
