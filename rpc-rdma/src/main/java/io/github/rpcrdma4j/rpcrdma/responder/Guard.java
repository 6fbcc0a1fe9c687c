package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.oncrpc.spi.CallHeader;

/** Remembers the calls that broke earlier connections of a client, and reports to the operator. */
public interface Guard {
    /** A guard without any knowledge. */
    Guard NONE =
            new Guard() {
                @Override
                public boolean refuses(ServedCall call) {
                    return false;
                }

                @Override
                public void broke(CallMark call) {}
            };

    /** Returns whether a call that has arrived broke a connection by its chunks before. */
    boolean refuses(ServedCall call);

    /** Notes that the chunks of a call broke this connection. */
    void broke(CallMark call);

    /**
     * Reports that the arguments of a call exceed the limit of one call. The requester gets an
     * error.
     *
     * @param call the header of the call; null if it is in the Read chunks too
     * @param bytes the length of the Read chunks in bytes
     * @param max the limit in bytes
     */
    default void isTooLong(CallHeader call, long bytes, long max) {}

    /**
     * Reports that the results of a call exceed the room that its requester offered. The requester
     * gets an error.
     *
     * @param call the header of the call
     * @param sizes the sizes of the results and of the room, for an operator
     */
    default void hasNoRoom(CallHeader call, String sizes) {}
}
