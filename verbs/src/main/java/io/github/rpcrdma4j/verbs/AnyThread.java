package io.github.rpcrdma4j.verbs;

/** A thread that stands for whichever thread will poll; never started. */
final class AnyThread {
    static final Thread OTHER = Thread.ofPlatform().unstarted(() -> {});

    private AnyThread() {}
}
