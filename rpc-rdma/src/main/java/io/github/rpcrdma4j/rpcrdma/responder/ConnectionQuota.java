package io.github.rpcrdma4j.rpcrdma.responder;

/**
 * The share of one connection in the quota of its client. After a denied request, {@link
 * Responder#resume} is called when the connection may try again. The default methods set no limits.
 */
public interface ConnectionQuota {
    /** The quota of a trusted peer, without limits. */
    ConnectionQuota UNLIMITED = new ConnectionQuota() {};

    /**
     * Returns how many receives are posted until the first message arrives. Before its first reply,
     * a requester may rely on only one (RFC 8166, section 3.3.1).
     *
     * @param receives how many receives are posted after the first message
     */
    default int firstReceives(int receives) {
        return receives;
    }

    /**
     * Takes the memory for all receives when the first message has arrived.
     *
     * @return false if there is not enough; the connection must be closed then
     */
    default boolean takeReceives() {
        return true;
    }

    /**
     * Takes more memory for receives, if enough is free now.
     *
     * @param bytes the additional memory in bytes
     * @return false if there is not enough; nothing was taken then
     */
    default boolean takeMoreReceives(long bytes) {
        return true;
    }

    /** Returns whether the largest call would have to wait for memory of others. */
    default boolean isScarce() {
        return false;
    }

    /**
     * Takes the quota of one call.
     *
     * @param bytes the most that the call may hold, in bytes
     * @return false if the call has to wait; nothing was taken then
     */
    default boolean take(long bytes) {
        return true;
    }

    /** Counts a call that has to wait. It is called once for each such call. */
    default void delayed() {}

    /**
     * Counts the memory that a reply holds until it is fetched. That memory is in use already, so
     * this never fails; later calls wait instead.
     *
     * @param bytes the memory of the reply in bytes
     */
    default void hold(long bytes) {}

    /** Gives back one call, with some of the bytes that were taken for it. */
    default void answered(long bytes) {}

    /** Gives back further bytes. */
    default void give(long bytes) {}

    /** Ends the requests of a connection that has ended. It still returns what it has taken. */
    default void close() {}
}
