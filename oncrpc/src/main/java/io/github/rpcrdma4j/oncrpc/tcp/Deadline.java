package io.github.rpcrdma4j.oncrpc.tcp;

/** A deadline that one thread sets and another checks. */
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
