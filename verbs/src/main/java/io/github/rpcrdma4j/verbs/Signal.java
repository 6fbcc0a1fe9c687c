package io.github.rpcrdma4j.verbs;

/** What the success of a work request leads to. A failure always completes, and wakes. */
public enum Signal {
    /**
     * No completion. When a later request of the same send queue completes, this one is done too,
     * and until then its memory belongs to the provider.
     */
    UNSIGNALED,
    /** A completion that is found by the next poll, and wakes no thread that waits for one. */
    QUIET,
    /** A completion that wakes a thread that waits for one. */
    SIGNALED
}
