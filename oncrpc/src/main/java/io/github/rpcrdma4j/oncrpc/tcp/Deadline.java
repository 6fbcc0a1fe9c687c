package io.github.rpcrdma4j.oncrpc.tcp;

/** A time by which something must be over. Set by one thread, looked at by another. */
final class Deadline {
    private volatile long dueNanos;
    private volatile boolean running;

    void start(long nowNanos, long lengthNanos) {
        dueNanos = nowNanos + lengthNanos;
        running = true;
    }

    void stop() {
        running = false;
    }

    boolean isRunning() {
        return running;
    }

    boolean isPast(long nowNanos) {
        return running && nowNanos - dueNanos >= 0;
    }
}
