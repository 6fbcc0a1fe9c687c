package io.github.rpcrdma4j.nfs.client.file;

import io.github.rpcrdma4j.nfs.client.service.NfsException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/**
 * Gives the failures of operations on paths the classes that {@link java.nio.file} has for them.
 */
public final class PathFailure {
    private PathFailure() {}

    /**
     * An operation on a path.
     *
     * @param <T> its result
     */
    public interface Operation<T> {
        /** Runs the operation. */
        T run() throws IOException, InterruptedException;
    }

    /**
     * Runs an operation on a path.
     *
     * @throws FileSystemException in place of a {@link NfsException}, which is its cause
     */
    public static <T> T named(String path, Operation<T> operation)
            throws IOException, InterruptedException {
        return named(path, null, operation);
    }

    /**
     * Runs an operation on two paths.
     *
     * @param other null for an operation on one path
     * @throws FileSystemException in place of a {@link NfsException}, which is its cause
     */
    public static <T> T named(String path, String other, Operation<T> operation)
            throws IOException, InterruptedException {
        try {
            return operation.run();
        } catch (NfsException failure) {
            throw of(path, other, failure);
        }
    }

    /**
     * Returns the failure of an operation on paths.
     *
     * @param other null for an operation on one path
     */
    public static FileSystemException of(String path, String other, NfsException failure) {
        var named = withoutCause(path, other, failure);
        named.initCause(failure);
        return named;
    }

    private static FileSystemException withoutCause(
            String path, String other, NfsException failure) {
        var reason = failure.reason();
        return switch (failure.status()) {
            case NOENT -> new NoSuchFileException(path, other, reason);
            case EXIST -> new FileAlreadyExistsException(path, other, reason);
            case PERM, ACCES -> new AccessDeniedException(path, other, reason);
            case NOTEMPTY -> new DirectoryNotEmptyException(path);
            case NOTDIR -> new NotDirectoryException(path);
            default -> new FileSystemException(path, other, reason);
        };
    }
}
