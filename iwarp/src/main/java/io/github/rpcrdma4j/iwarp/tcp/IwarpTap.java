package io.github.rpcrdma4j.iwarp.tcp;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * An observer of the bytes of all connections of a provider, from the set-up frame on. The threads
 * that send and receive call it for every message, so it must be quick, must not throw, and must
 * not use the connection. Calls to one {@link Wire}, except {@code closed}, come one at a time. A
 * request is reported before its answer.
 */
public interface IwarpTap {
    /** A tap that observes nothing and has no cost. */
    IwarpTap NONE = (_, _, _) -> Wire.NONE;

    /**
     * Reports an established TCP connection, and returns its observer.
     *
     * @param local the address of this side
     * @param remote the address of the peer
     * @param initiator whether this side opened the connection
     * @return the observer; {@link Wire#NONE} if the connection needs none
     */
    Wire opened(InetSocketAddress local, InetSocketAddress remote, boolean initiator);

    /** The observer of one connection. */
    interface Wire {
        /** The observer of a connection that is not observed. */
        Wire NONE =
                new Wire() {
                    @Override
                    public void sent(ByteBuffer bytes) {}

                    @Override
                    public void received(ByteBuffer bytes) {}

                    @Override
                    public void closed() {}
                };

        /**
         * Reports the next bytes of this side's stream, cut independently of frames.
         *
         * @param bytes the bytes from position to limit, which the observer may move; valid during
         *     the call alone
         */
        void sent(ByteBuffer bytes);

        /**
         * Reports the next bytes of the peer's stream, cut independently of frames.
         *
         * @param bytes the bytes from position to limit, which the observer may move; valid during
         *     the call alone
         */
        void received(ByteBuffer bytes);

        /** Reports the end of the connection. Any thread may call it, and more than once. */
        void closed();
    }
}
