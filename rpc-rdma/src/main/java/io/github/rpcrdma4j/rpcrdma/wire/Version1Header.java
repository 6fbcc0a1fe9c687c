package io.github.rpcrdma4j.rpcrdma.wire;

import java.lang.foreign.MemorySegment;

/**
 * The transport header of version 1, which precedes the RPC message in every Send (RFC 8166,
 * Section 4.1).
 */
public sealed interface Version1Header extends TransportHeader {
    /** The protocol version of this package (RFC 8166-4.2.2-1, 5666-4.1-2). */
    int VERSION = 1;

    /** Returns the XID, equal to that of the RPC message. */
    int xid();

    /** Returns the credits that a call requests or a reply grants, unsigned. */
    int credits();

    /** Returns an RDMA_NOMSG if the message is in a chunk, otherwise an RDMA_MSG. */
    static Version1Header of(boolean isInChunk, int xid, int credits, ChunkLists chunks) {
        return isInChunk ? new NoMsg(xid, credits, chunks) : new Msg(xid, credits, chunks);
    }

    @Override
    default int encodedLength() {
        return Version1HeaderCodec.encodedLength(this);
    }

    @Override
    default int encode(MemorySegment target) {
        return Version1HeaderCodec.encode(this, target);
    }

    /** RDMA_MSG: the payload stream follows the header (RFC 5666-4.1-8). */
    record Msg(int xid, int credits, ChunkLists chunks) implements Version1Header {}

    /** RDMA_NOMSG: the payload stream is in a Position-Zero Read chunk or a Reply chunk. */
    record NoMsg(int xid, int credits, ChunkLists chunks) implements Version1Header {}

    /**
     * RDMA_ERROR with ERR_VERS.
     *
     * @param version the version of the failed request, as received (RFC 8166-4.5-5, 5666-4.2-4)
     * @param lowest the lowest version that the responder supports
     * @param highest the highest version that the responder supports
     */
    record VersionError(int xid, int version, int credits, int lowest, int highest)
            implements Version1Header {}

    /**
     * RDMA_ERROR with ERR_CHUNK.
     *
     * @param version the version of the failed request, as received
     */
    record ChunkError(int xid, int version, int credits) implements Version1Header {}

    /**
     * RDMA_DONE: the Read chunks of a reply were fetched (RFC 5666-3.5-3). RFC 8166 forbids sending
     * it (RFC 8166-4.6.2-1). It is decoded only to be discarded.
     */
    record Done(int xid, int credits) implements Version1Header {}
}
