package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.dissect.draft07.Draft07Header;
import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.mpa.MpaFrame;
import io.github.rpcrdma4j.iwarp.observe.DirectionObserver.Crc;
import io.github.rpcrdma4j.iwarp.rdmap.ReadRequest;
import io.github.rpcrdma4j.iwarp.rdmap.Terminate;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.wire.PrivateData;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import java.util.Optional;

/** The contents of one protocol layer of a frame. */
public sealed interface Layer {
    /** The set-up frame of a connection, with the private data found in it. */
    record SetUp(MpaFrame frame, Optional<PrivateData> privateData) implements Layer {}

    /** An MPA frame with a ULPDU of {@code length} bytes. */
    record Mpa(int length, Crc crc) implements Layer {}

    /** A DDP segment with {@code payload} bytes after its header. */
    record Ddp(DdpSegment header, int payload) implements Layer {}

    /**
     * An RDMAP operation.
     *
     * @param opcode one of the opcodes in {@link DdpSegment}
     * @param invalidates the handle that a Send invalidates
     * @param read the message of a Read Request
     * @param terminate the message of a Terminate
     * @param use the chunk whose bytes it moves
     */
    record Rdmap(
            int opcode,
            Optional<Integer> invalidates,
            Optional<ReadRequest> read,
            Optional<Terminate> terminate,
            Optional<ChunkUse> use)
            implements Layer {}

    /** A transport header of RPC-over-RDMA version 1. */
    record Transport(Version1Header header) implements Layer {}

    /** A transport header of RFC 5666 that RFC 8166 removed. */
    record Transport5666(Rfc5666Header header) implements Layer {}

    /** A transport header of version 2. */
    record Transport2(Version2Header header) implements Layer {}

    /** A transport header of the last draft of version 2. */
    record TransportDraft07(Draft07Header header) implements Layer {}

    /** A malformed transport header, in a message of {@code length} bytes. */
    record BadTransport(int length) implements Layer {}

    /**
     * An RPC message.
     *
     * @param placed whether it was in a chunk, which this frame completes
     */
    record Rpc(RpcMessage message, boolean placed) implements Layer {}

    /** Bytes of the stream that were not captured, or belong to no frame. */
    record Missing(long bytes, String why) implements Layer {}

    /** One side of the connection closed it. */
    record Closed(boolean reset) implements Layer {}

    /**
     * A part of a chunk that an operation moves.
     *
     * @param xid the XID of the call
     * @param chunk the index of the chunk in the call, from 0
     * @param kind the kind of the chunk
     * @param segment the index of the segment in the chunk, from 0
     */
    record ChunkUse(int xid, int chunk, ChunkReport.Kind kind, int segment) {}
}
