package io.github.rpcrdma4j.verbs.contract;

/**
 * What some adapters do not do as the contract says. The contract checks that a provider with a
 * difference has it, except where the outcome depends on time.
 */
public enum Difference {
    /** Private data arrives with zeros behind it. */
    PADS_PRIVATE_DATA,

    /** A registration needs memory for all its pages, so memory cannot be larger than that. */
    PINS_MEMORY,

    /**
     * Bytes move while no thread polls. So work may be complete before a call that is made right
     * after it was posted.
     */
    PROGRESSES_ALONE,

    /** A side that the peer made end the connection does not know the handle. */
    HIDES_HANDLES,

    /** A side that refuses an access or a message may not know why the connection ended. */
    HIDES_REASONS,

    /** A refused RDMA Read completes as flushed. */
    FLUSHES_REFUSED_READS,

    /** A receive that is too short for its message completes as flushed. */
    FLUSHES_SHORT_RECEIVES,

    /** A receive whose memory is no longer registered completes as flushed. */
    FLUSHES_CLOSED_RECEIVES,

    /** A Send With Invalidate with a handle that has ended ends the connection. */
    REFUSES_ENDED_HANDLES,

    /** A receive does not tell which handle its message invalidated. */
    HIDES_INVALIDATIONS,

    /** A peer can read what it may only write. */
    ALLOWS_ALL_READS
}
