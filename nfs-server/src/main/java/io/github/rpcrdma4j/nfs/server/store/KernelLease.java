package io.github.rpcrdma4j.nfs.server.store;

/**
 * A file that local processes open only after this server was told (fcntl(2), F_SETLEASE). The
 * process waits meanwhile, for as long as {@code fs.lease-break-time} says. Thread-safe.
 */
public interface KernelLease extends AutoCloseable {
    /** What local processes may do without that. */
    enum Kind {
        /** They may open the file for reading. */
        READ,

        /** They may not open the file. */
        WRITE
    }

    /** Gives the lease up: those that wait go on. */
    @Override
    void close();
}
