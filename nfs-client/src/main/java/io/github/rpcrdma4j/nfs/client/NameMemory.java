package io.github.rpcrdma4j.nfs.client;

/**
 * The part of the heap that names of a server's directories may take: half of it, shared by all
 * listings of one operation. A server can make up trees of any depth and width, and each directory
 * on the way to a file keeps its names until all that is in it is done. Thread-safe.
 */
public final class NameMemory {
    private static final int HEAP_PARTS = 2;

    private final long bytesMax;

    /** Guarded by this. */
    private long bytes;

    /** Memory for names, as much as the heap allows. */
    public NameMemory() {
        this(Runtime.getRuntime().maxMemory() / HEAP_PARTS);
    }

    /**
     * @param bytesMax of all shares together
     */
    NameMemory(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Begins the share of one listing, which takes nothing at first. */
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

    /** Bytes that no share has taken. */
    synchronized long free() {
        return bytesMax - bytes;
    }

    /**
     * The memory of the names of one listing. Closed when the names are not used any more. Used by
     * one thread at a time.
     */
    public final class Share implements AutoCloseable {
        private long taken;

        private Share() {}

        /**
         * Takes more memory.
         *
         * @return false if there is not as much
         */
        boolean take(long more) {
            boolean fits = NameMemory.this.take(more);
            if (fits) {
                taken += more;
            }
            return fits;
        }

        /** Gives all back. */
        @Override
        public void close() {
            give(taken);
            taken = 0;
        }
    }
}
