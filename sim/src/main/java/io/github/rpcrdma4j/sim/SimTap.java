package io.github.rpcrdma4j.sim;

import io.github.rpcrdma4j.verbs.WorkRequest;

/** Is told what one side asks of its adapter. The threads are those that ask. */
public interface SimTap {
    /** A window was bound. */
    default void bound() {}

    /** A work request was posted. */
    default void posted(WorkRequest request) {}
}
