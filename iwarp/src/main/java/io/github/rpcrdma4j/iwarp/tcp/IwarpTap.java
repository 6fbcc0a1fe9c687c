package io.github.rpcrdma4j.iwarp.tcp;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * Watches what the connections of a provider carry, from the set-up frame on. It is called on the
 * path of every message, by the threads that carry them: it has to be quick, must not throw, and
 * must not use the connection. All methods of one {@link Wire} but {@code closed} are called one at
 * a time, in an order in which no answer comes before its question.
 */
public interface IwarpTap {
    /** Sees nothing, and costs nothing. */
    IwarpTap NONE = (_, _, _) -> Wire.NONE;

    /**
     * A TCP connection stands.
     *
     * @param local this side's end
     * @param remote the peer's
     * @param initiator whether this side opened it
     */
    Wire opened(InetSocketAddress local, InetSocketAddress remote, boolean initiator);

    /** One connection. */
    interface Wire {
        /** A connection that is not watched. */
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
         * The next bytes of this side's stream, with no regard to frames.
         *
         * @param bytes from position to limit, which may move; valid for the call alone
         */
        void sent(ByteBuffer bytes);

        /** The next bytes of the peer's stream. */
        void received(ByteBuffer bytes);

        /** The connection is over; told once or more often, by any thread. */
        void closed();
    }
}
