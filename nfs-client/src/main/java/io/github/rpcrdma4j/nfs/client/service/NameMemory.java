package io.github.rpcrdma4j.nfs.client.service;

/**
 * The share of the heap that names of directories may use: half of it, for all listings of one
 * operation. A server, and another user of this machine, can present trees of any depth and width,
 * and each directory on a path keeps its names until all files in it are done. Thread-safe.
 */
public final class NameMemory {
    private static final int HEAP_PARTS = 2;

    private final long bytesMax;

    /** Guarded by this. */
    private long bytes;

    /** Creates the account for one operation: half of the maximum heap. */
    public NameMemory() {
        this(Runtime.getRuntime().maxMemory() / HEAP_PARTS);
    }

    /**
     * Creates an account.
     *
     * @param bytesMax the most bytes of all shares together
     */
    public NameMemory(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Begins the share of one listing; it is empty at first. */
    public Share share() {
        return new Share();
    }

    private synchronized boolean take(long more) {
        boolean fits = more <= bytesMax - bytes;
        if (fits) {
            bytes += more;
        }
        return fits;
    }

    private synchronized void give(long taken) {
        bytes -= taken;
    }

    /** Returns the bytes that no share has taken. */
    public synchronized long free() {
        return bytesMax - bytes;
    }

    /**
     * The memory of the names of one listing. Its user closes it when the names are no longer
     * needed. Used by one thread at a time.
     */
    public final class Share implements AutoCloseable {
        private long taken;

        private Share() {}

        /**
         * Takes more bytes.
         *
         * @return false if that many are not left
         */
        public boolean take(long more) {
            boolean fits = NameMemory.this.take(more);
            if (fits) {
                taken += more;
            }
            return fits;
        }

        /** Returns all bytes of this share to the account. */
        @Override
        public void close() {
            give(taken);
            taken = 0;
        }
    }
}
