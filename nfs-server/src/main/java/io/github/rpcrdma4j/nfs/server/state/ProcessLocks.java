package io.github.rpcrdma4j.nfs.server.state;

import java.util.Optional;

/**
 * The locks that the server holds towards local processes, on one descriptor for each file: the
 * union of the locks of all clients. The state calls it within events, because a lock is granted
 * only if the kernel grants it as well, and because the order of changes matters. No method waits.
 */
public interface ProcessLocks {
    /** For stores without such locks: local processes do not see the locks of clients. */
    ProcessLocks NONE =
            new ProcessLocks() {
                @Override
                public Optional<RangeLock<String>> lock(
                        FileKey file, LockMode type, ByteRange range) {
                    return Optional.empty();
                }

                @Override
                public Optional<RangeLock<String>> conflict(
                        FileKey file, LockMode type, ByteRange range) {
                    return Optional.empty();
                }

                @Override
                public void unlock(FileKey file, ByteRange range) {}

                @Override
                public void close(FileKey file) {}
            };

    /**
     * Sets the lock of a range, in place of what the server held of it.
     *
     * @return the conflicting lock of a local process; nothing if the kernel granted it
     */
    Optional<RangeLock<String>> lock(FileKey file, LockMode type, ByteRange range);

    /** Returns a lock of a local process that {@link #lock} would meet. */
    Optional<RangeLock<String>> conflict(FileKey file, LockMode type, ByteRange range);

    void unlock(FileKey file, ByteRange range);

    /** The file has no locks any more. */
    void close(FileKey file);
}
