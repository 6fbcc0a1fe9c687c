package io.github.rpcrdma4j.rpcrdma.rfc5666.wire;

import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import java.lang.foreign.MemorySegment;

/** A transport header that RFC 5666 defines and RFC 8166 does not. */
public sealed interface Rfc5666Header extends TransportHeader {
    int xid();

    /** Returns the credits that a call requests or a reply grants; unsigned. */
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
     * RDMA_MSGP: an RDMA_MSG with padding before long opaques (RFC 5666-3.9-1, 5666-4.1-7). RFC
     * 8166 forbids sending it (RFC 8166-4.6.1-1).
     *
     * @param align the alignment in bytes, as in {@link Alignment}
     * @param threshold the shortest padded opaque in bytes, as in {@link Alignment}
     */
    record PaddedMsg(int xid, int credits, int align, int threshold, ChunkLists chunks)
            implements Rfc5666Header {}

    /**
     * RDMA_ERROR with a code that only RFC 5666 allows (RFC 5666-4.3-2). Eight words without
     * meaning follow the code.
     */
    record OtherError(int xid, int version, int credits, int code) implements Rfc5666Header {}
}
