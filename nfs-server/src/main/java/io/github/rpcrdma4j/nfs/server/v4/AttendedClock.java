package io.github.rpcrdma4j.nfs.server.v4;

/**
 * A clock for the leases of clients. It stands still while the server does not run: while its
 * process is stopped, its machine is suspended, or its virtual machine collects garbage. Calls that
 * arrive meanwhile wait in sockets. With an ordinary clock, the leases that they renew would end
 * before the server reads them. Times are in nanoseconds of any origin. Not thread-safe.
 */
final class AttendedClock {
    /**
     * A running server reads the clock once a second, so a longer time between two readings is a
     * pause.
     */
    private static final long PAUSE_NANOS = 5_000_000_000L;

    private long lastRead;
    private long missed;

    /**
     * @param nanoTime the time of an ordinary clock
     */
    AttendedClock(long nanoTime) {
        lastRead = nanoTime;
    }

    /**
     * Reads the clock.
     *
     * @param nanoTime the time of the ordinary clock, not before that of the last reading
     * @return how long it has stood still since the last reading
     */
    long read(long nanoTime) {
        long since = nanoTime - lastRead;
        long pause = since > PAUSE_NANOS ? since : 0;
        lastRead = nanoTime;
        missed += pause;
        return pause;
    }

    /** Returns the time at the last reading. */
    long time() {
        return lastRead - missed;
    }
}
