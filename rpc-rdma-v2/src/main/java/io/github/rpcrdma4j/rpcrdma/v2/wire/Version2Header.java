package io.github.rpcrdma4j.rpcrdma.v2.wire;

import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import java.lang.foreign.MemorySegment;

/** A transport header of version 2. */
public sealed interface Version2Header extends TransportHeader {
    /** The protocol version, {@code rdma_vers}. */
    int VERSION = 2;

    /** Returns the XID of the RPC, or of the exchange (V2-4.2-1). */
    int xid();

    /** Returns the credits that a call requests or a reply grants, unsigned. */
    int credits();

    @Override
    default int encodedLength() {
        return Version2HeaderCodec.encodedLength(this);
    }

    @Override
    default int encode(MemorySegment target) {
        return Version2HeaderCodec.encode(this, target);
    }

    /** RDMA2_MSG: the RPC message follows (V2-4.2.1-1). */
    record Msg(int xid, int credits, Direction direction, ChunkLists chunks)
            implements Version2Header {}

    /**
     * RDMA2_NOMSG: the RPC message is in a chunk, and nothing follows the header (V2-4.2.1-4). All
     * replies that a responder exposes have this form (RPR-4.1-2).
     */
    record NoMsg(int xid, int credits, Direction direction, ChunkLists chunks)
            implements Version2Header {}

    /**
     * RDMA2_ERROR with RDMA2_ERR_VERS: the version of the call is not supported (V2-5.2-1).
     *
     * @param version the version that the header of the answer has, which may be any
     * @param lowest the lowest supported version
     * @param highest the highest supported version
     */
    record VersionError(int xid, int version, int credits, int lowest, int highest)
            implements Version2Header {}

    /**
     * RDMA2_ERROR with RDMA2_ERR_BAD_HEADER: the call could not be understood (V2-4.2.3-2). Nothing
     * follows the header (V2-4.2.1-2).
     */
    record BadHeader(int xid, int credits) implements Version2Header {}

    /** RDMA2_ERROR with RDMA2_ERR_INVAL_OPTION: the operation is unknown (V2-3.1-1). */
    record BadOption(int xid, int credits) implements Version2Header {}

    /** RDMA2_OPTIONAL: the operation defines what follows the header (V2-4.2.1-3). */
    record Option(int xid, int credits, Direction direction, Operation operation)
            implements Version2Header {}
}
