package io.github.rpcrdma4j.nfs.store;

/**
 * A file that local processes open only after this server was told (fcntl(2), F_SETLEASE). The
 * process waits meanwhile, for as long as {@code fs.lease-break-time} says. The kernel tells of
 * other attributes and names only after the fact (inotify(7)). Thread-safe.
 */
public interface KernelLease extends AutoCloseable {
    /** What local processes may do without that. */
    enum Kind {
        /** They may open the file for reading. */
        READ,

        /** They may not open the file. */
        WRITE
    }

    /** Learns what happens to the file. A thread of the store calls it; it must not wait. */
    interface Listener {
        /** A process waits for the file. This server itself may be that process. */
        void conflict();

        /** The attributes or the names of the file have changed. This server may have done that. */
        void changed();
    }

    /** Tells the listener of all changes so far before it returns. */
    void tellChanges();

    /** Gives the lease up: those that wait go on. */
    @Override
    void close();
}
