package io.github.rpcrdma4j.rpcrdma.rfc5666.wire;

import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import java.lang.foreign.MemorySegment;

/** A transport header that RFC 5666 has and RFC 8166 has not. */
public sealed interface Rfc5666Header extends TransportHeader {
    int xid();

    /** Credits: asked for in a call, granted in a reply; unsigned. */
    int credits();

    @Override
    default int encodedLength() {
        return Rfc5666HeaderCodec.encodedLength(this);
    }

    @Override
    default int encode(MemorySegment target) {
        return Rfc5666HeaderCodec.encode(this, target);
    }

    /**
     * RDMA_MSGP: like an RDMA_MSG, with padding before long opaques (RFC 5666-3.9-1, 5666-4.1-7).
     * By RFC 8166 it is never sent (RFC 8166-4.6.1-1).
     *
     * @param align see {@link Alignment}
     * @param threshold see {@link Alignment}
     */
    record PaddedMsg(int xid, int credits, int align, int threshold, ChunkLists chunks)
            implements Rfc5666Header {}

    /**
     * RDMA_ERROR with a code that only RFC 5666 lets be (RFC 5666-4.3-2); eight words of no meaning
     * follow.
     */
    record OtherError(int xid, int version, int credits, int code) implements Rfc5666Header {}
}
