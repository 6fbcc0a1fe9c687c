package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;

/** What the server tells a client by callbacks. The events return at once. */
interface CallbackEvents {
    /** A lock that was refused may be free now. */
    void lockMayBeFree(CallbackArguments.NotifyLock notice);

    /**
     * The server wants to see no slot used behind one.
     *
     * @param highest the number of that slot, unsigned
     */
    default void slotsRecalled(int highest) {}
}
