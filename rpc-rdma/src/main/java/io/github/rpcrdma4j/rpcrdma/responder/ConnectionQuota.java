package io.github.rpcrdma4j.rpcrdma.responder;

/**
 * What the calls of one connection may take of what its client may hold. A connection that was
 * denied is told by {@link Responder#resume} when it may ask again. By default a peer is trusted,
 * and has no limits.
 */
public interface ConnectionQuota {
    /** For a peer that is trusted. */
    ConnectionQuota UNLIMITED = new ConnectionQuota() {};

    /**
     * How many receives stand posted until the first message comes: before it is answered, no
     * requester may count on more than one (RFC 8166, section 3.3.1).
     *
     * @param receives that will stand posted then
     */
    default int firstReceives(int receives) {
        return receives;
    }

    /**
     * Takes the memory for all receives, when the first message has come.
     *
     * @return false if there is none; the connection is to be closed then
     */
    default boolean takeReceives() {
        return true;
    }

    /**
     * Takes more memory for receives, if there is some at this moment.
     *
     * @param bytes in bytes
     * @return false if there is none; nothing was taken then
     */
    default boolean takeMoreReceives(long bytes) {
        return true;
    }

    /** Whether a call may come that has to wait for what others hold. */
    default boolean isScarce() {
        return false;
    }

    /**
     * Takes one call.
     *
     * @param bytes what it may come to hold, in bytes
     * @return false if it has to wait; nothing was taken then
     */
    default boolean take(long bytes) {
        return true;
    }

    /**
     * Takes what a reply holds until it is fetched. It is there already, so it never waits; calls
     * do that come later.
     *
     * @param bytes in bytes
     */
    default void hold(long bytes) {}

    /** Gives one call back, with some of the bytes that were taken for it. */
    default void answered(long bytes) {}

    /** Gives further bytes back. */
    default void give(long bytes) {}

    /** The connection is gone and asks for nothing more; what it has taken is given back still. */
    default void close() {}
}
