package io.github.rpcrdma4j.rpcrdma.wire;

import java.lang.foreign.MemorySegment;

/** What precedes the RPC message in every Send (RFC 8166, Section 4.1). */
public sealed interface Version1Header extends TransportHeader {
    /** The version of the protocol that this package speaks (RFC 8166-4.2.2-1, 5666-4.1-2). */
    int VERSION = 1;

    /** The transaction, equal to the XID of the RPC message. */
    int xid();

    /** Credits: asked for in a call, granted in a reply; unsigned. */
    int credits();

    /** An RDMA_NOMSG if the message is in a chunk, or an RDMA_MSG. */
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

    /** RDMA_NOMSG: the payload stream lies in a Position-Zero Read chunk or a Reply chunk. */
    record NoMsg(int xid, int credits, ChunkLists chunks) implements Version1Header {}

    /**
     * RDMA_ERROR with ERR_VERS.
     *
     * @param version the version of the request that failed, as it came (RFC 8166-4.5-5,
     *     5666-4.2-4)
     * @param lowest the lowest version that the responder speaks
     * @param highest the highest
     */
    record VersionError(int xid, int version, int credits, int lowest, int highest)
            implements Version1Header {}

    /**
     * RDMA_ERROR with ERR_CHUNK.
     *
     * @param version the version of the request that failed, as it came
     */
    record ChunkError(int xid, int version, int credits) implements Version1Header {}

    /**
     * RDMA_DONE: the Read chunks of a reply were fetched (RFC 5666-3.5-3). By RFC 8166 it is never
     * sent (RFC 8166-4.6.2-1), and decoded so that it can be discarded.
     */
    record Done(int xid, int credits) implements Version1Header {}
}
