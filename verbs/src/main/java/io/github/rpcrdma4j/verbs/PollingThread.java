package io.github.rpcrdma4j.verbs;

/** A thread that stands for whichever thread will poll; never started. */
final class PollingThread {
    static final Thread OTHER = Thread.ofPlatform().unstarted(() -> {});

    private PollingThread() {}
}
