package io.github.rpcrdma4j.verbs;

/**
 * The kinds of completion of a successful work request. A failed one always has a completion that
 * wakes a thread.
 */
public enum Signal {
    /**
     * No completion. The request is done when a later request of the send queue completes. Until
     * then the provider owns its memory.
     */
    UNSIGNALED,
    /** A completion that the next poll finds, and that does not wake a waiting thread. */
    QUIET,
    /** A completion that wakes a waiting thread. */
    SIGNALED
}
