package io.github.rpcrdma4j.rpcrdma.metrics;

/** Something that is counted: each {@link Counter}, and what a profile counts beside those. */
public interface Counted {
    /** The name for a user. */
    String words();
}
