package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;

/**
 * Tells the operator of errors of the file systems that are served. A client gets an I/O error,
 * without its number, and a program there often hides it.
 */
public final class FileSystemErrors {
    private FileSystemErrors() {}

    /**
     * Logs a failure if it is an error of the file system; once a minute.
     *
     * @param operation what failed, such as the procedure
     */
    public static void tell(FailureLog log, Object operation, StoreException failure) {
        if (failure.failure() == Failure.IO) {
            log.warn(
                    "a file system that is served failed", operation + ": " + failure.getMessage());
        }
    }
}
