package io.github.rpcrdma4j.verbs;

/** Holds a thread that represents any future polling thread. It is never started. */
final class PollingThread {
    static final Thread OTHER = Thread.ofPlatform().unstarted(() -> {});

    private PollingThread() {}
}
