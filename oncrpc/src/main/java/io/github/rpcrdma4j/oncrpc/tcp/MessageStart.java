package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;

/**
 * The start of a received message. Calls and replies of both directions travel on one connection,
 * and the message type tells them apart (RFC 5531, Section 9).
 */
sealed interface MessageStart {
    /**
     * A call of the peer.
     *
     * @param arguments positioned after the header
     */
    record Call(CallHeader header, XdrReader arguments) implements MessageStart {}

    /** A reply to a call of this side. Its header was not decoded. */
    record Reply(int xid) implements MessageStart {}

    /** A message that is neither; no answer is possible. */
    record Neither() implements MessageStart {}

    static MessageStart of(MemorySegment message) {
        try {
            var in = new XdrReader(message);
            int xid = in.uint32();
            if (in.uint32() == ReplyHeader.REPLY) {
                return new Reply(xid);
            }
            in.restart(message, Placements.NONE);
            return new Call(CallHeader.decode(in), in);
        } catch (XdrException _) {
            return new Neither();
        }
    }
}
