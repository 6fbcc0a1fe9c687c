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

/** What one layer has to say of a frame. */
public sealed interface Layer {
    /** The set-up frame of a connection, with the private data found in it. */
    record SetUp(MpaFrame frame, Optional<PrivateData> privateData) implements Layer {}

    /** A frame of MPA, {@code length} bytes of ULPDU in it. */
    record Mpa(int length, Crc crc) implements Layer {}

    /** A segment of DDP, {@code payload} bytes behind its header. */
    record Ddp(DdpSegment header, int payload) implements Layer {}

    /**
     * An operation of RDMAP.
     *
     * @param opcode as in {@link DdpSegment}
     * @param invalidates the handle, for a Send that does
     * @param use which chunk it moves
     */
    record Rdmap(
            int opcode,
            Optional<Integer> invalidates,
            Optional<ReadRequest> read,
            Optional<Terminate> terminate,
            Optional<ChunkUse> use)
            implements Layer {}

    /** A transport header of RPC-over-RDMA. */
    record Transport(Version1Header header) implements Layer {}

    /** A transport header that RFC 8166 does not have any more. */
    record Transport5666(Rfc5666Header header) implements Layer {}

    /** A transport header of version 2. */
    record Transport2(Version2Header header) implements Layer {}

    /** A transport header of the last draft of version 2. */
    record TransportDraft07(Draft07Header header) implements Layer {}

    /** A transport header that cannot be read. */
    record BadTransport(int length) implements Layer {}

    /**
     * An RPC message.
     *
     * @param placed whether it lay in a chunk, and is whole with this frame
     */
    record Rpc(RpcMessage message, boolean placed) implements Layer {}

    /** Bytes of the stream that were not captured, or belong to no frame. */
    record Missing(long bytes, String why) implements Layer {}

    /** One side of the connection closed it. */
    record Closed(boolean reset) implements Layer {}

    /**
     * A piece of a chunk.
     *
     * @param xid of the call
     * @param chunk which one, counted within the call from 0
     * @param kind of it
     * @param segment which one of it, from 0
     */
    record ChunkUse(int xid, int chunk, ChunkReport.Kind kind, int segment) {}
}
