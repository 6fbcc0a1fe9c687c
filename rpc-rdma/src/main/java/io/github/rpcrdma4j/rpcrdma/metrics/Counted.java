package io.github.rpcrdma4j.rpcrdma.metrics;

/** A counted quantity: each {@link Counter}, and each further counter of a profile. */
public interface Counted {
    /** Returns the name for a user. */
    String words();
}
