package io.github.rpcrdma4j.sim;

import io.github.rpcrdma4j.verbs.WorkRequest;

/**
 * An observer of the requests that one side makes to its adapter, called on the requesting threads.
 */
public interface SimTap {
    /** Reports that a window is about to be bound. */
    default void bound() {}

    /** Reports that a work request is about to be posted. */
    default void posted(WorkRequest request) {}
}
