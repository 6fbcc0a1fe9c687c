package io.github.rpcrdma4j.rpcrdma.v2.wire;

import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.CallWithDoneNotices;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.Continuation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitRequest;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitResponse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header.BadHeader;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header.BadOption;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header.Msg;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header.NoMsg;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header.Option;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header.VersionError;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec.Decoded;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Received.MessageRole;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A received message of version 2, classified by what is owed to its sender. Pure; it never throws.
 *
 * <p>Errors are owed for calls only. A reply that cannot be understood is dropped (V2-4.2.3-2,
 * V2-4.2.3-3, V2-4.2.3-6), and so is a message that is too short for any header (V2-4.2.3-1).
 *
 * <p>Tests: {@code ReactionsTest}.
 */
public sealed interface Received {
    /**
     * A usable call.
     *
     * @param header a Msg, a NoMsg, or an Option with a {@link CallWithDoneNotices}
     * @param doneXids the XIDs whose Read chunks the caller has fetched
     * @param payload the inline part of the RPC message; empty for a NoMsg
     */
    record Call(
            Version2Header header, ChunkLists chunks, List<Integer> doneXids, MemorySegment payload)
            implements Received {}

    /**
     * A usable reply.
     *
     * @param header a Msg or a NoMsg
     * @param payload the inline part of the RPC message; empty for a NoMsg
     */
    record Reply(Version2Header header, ChunkLists chunks, MemorySegment payload)
            implements Received {}

    /**
     * A transmission of a group.
     *
     * @param operation the operation of the header
     * @param whole all bytes of the transmission
     * @param headerLength the length of its header, in bytes
     */
    record Transmission(
            Option header, Operation.Transmission operation, MemorySegment whole, int headerLength)
            implements Received {}

    /** An operation without payload. */
    record Control(Option header) implements Received {}

    /** An error that ends the call, or the operation, of that XID for good (V2-4.2.3-4). */
    record Failure(Version2Header error) implements Received {}

    /** Answer with RDMA2_ERR_VERS. */
    record OweVersionError(int xid, int version) implements Received {}

    /** Answer with RDMA2_ERR_BAD_HEADER (V2-4.2.3-2). */
    record OweBadHeader(int xid, String why) implements Received {}

    /** Answer with RDMA2_ERR_INVAL_OPTION (V2-3.1-1). */
    record OweBadOption(int xid, int type) implements Received {}

    /**
     * A malformed reply whose Read chunk the responder still holds; answer with ROPT_RPDONE
     * (RPR-X-5).
     */
    record OweDoneNotice(int xid, String why) implements Received {}

    /** Discard the message; nothing is owed. */
    record Discard(String why) implements Received {}

    /**
     * Classifies a message.
     *
     * @param known the extensions in use on the connection
     */
    static Received of(MemorySegment message, Set<Extension> known) {
        return switch (Version2HeaderCodec.decode(message, known)) {
            case Decoded.TooShort _ -> new Discard("shorter than any header");
            // An answer to an error could cause an endless exchange of errors (V2-4.2.3-5, V2-X-1).
            case Decoded.MalformedError(_, var why) -> new Discard(why);
            case Decoded.UnknownVersion(var xid, var version) -> ofVersion(message, xid, version);
            case Decoded.UnknownOption(var xid, var direction, var type) ->
                    direction == Direction.CALL
                            ? new OweBadOption(xid, type)
                            : new Discard("a reply with an unknown operation");
            case Decoded.Malformed(var xid, var direction, var why) ->
                    malformed(xid, direction, why);
            case Decoded.Ok(var header, var length) -> of(header, length, message, known);
        };
    }

    /**
     * Classifies a message of another version: a change within a connection, or an unknown version
     * (V2-5-3).
     */
    private static Received ofVersion(MemorySegment message, int xid, int version) {
        return version == Version1Header.VERSION && MessageRole.of(message) == MessageRole.REQUESTER
                ? new Discard("a reply of version 1")
                : new OweVersionError(xid, version);
    }

    private static Received malformed(int xid, Direction direction, String why) {
        return direction == Direction.CALL ? new OweBadHeader(xid, why) : new Discard(why);
    }

    private static Received of(
            Version2Header header, int length, MemorySegment message, Set<Extension> known) {
        var rest = message.asSlice(length);
        return switch (header) {
            case VersionError _, BadHeader _, BadOption _ -> new Failure(header);
            case Msg(var xid, _, var direction, var chunks) ->
                    switch (direction) {
                        case CALL -> call(header, chunks, List.of(), rest);
                        case REPLY ->
                                RpcMessage.fault(rest, xid, direction)
                                        .or(() -> faultOfInlineReply(chunks))
                                        .map(why -> malformedReply(xid, chunks, why, known))
                                        .orElseGet(() -> new Reply(header, chunks, rest));
                    };
            case NoMsg(var xid, _, var direction, var chunks) ->
                    switch (direction) {
                        case CALL ->
                                chunks.faultOfLongCall()
                                        .<Received>map(why -> new OweBadHeader(xid, why))
                                        .orElseGet(() -> longCall(header, chunks));
                        case REPLY ->
                                faultOfLongReply(chunks)
                                        .map(why -> malformedReply(xid, chunks, why, known))
                                        .orElseGet(() -> longReply(header, chunks));
                    };
            case Option option -> ofOption(option, length, message);
        };
    }

    private static Received longCall(Version2Header header, ChunkLists chunks) {
        return new Call(header, chunks, List.of(), MemorySegment.NULL);
    }

    private static Received longReply(Version2Header header, ChunkLists chunks) {
        return new Reply(header, chunks, MemorySegment.NULL);
    }

    private static Received call(
            Version2Header header,
            ChunkLists chunks,
            List<Integer> doneXids,
            MemorySegment payload) {
        return RpcMessage.fault(payload, header.xid(), Direction.CALL)
                .or(() -> chunks.faultOfInlineCall())
                .<Received>map(why -> new OweBadHeader(header.xid(), why))
                .orElseGet(() -> new Call(header, chunks, doneXids, payload));
    }

    private static Optional<String> faultOfInlineReply(ChunkLists chunks) {
        if (!chunks.readList().isEmpty()) {
            return Optional.of("a reply both inline and in a Read chunk");
        }
        return hasReplyChunkInUse(chunks)
                ? Optional.of("a reply both inline and in the Reply chunk")
                : Optional.empty();
    }

    /** RPR-X-5: the reply is in exactly one chunk, and there in whole words (RPR-4.1-6). */
    private static Optional<String> faultOfLongReply(ChunkLists chunks) {
        for (var read : chunks.readList()) {
            if (read.position() != 0) {
                return Optional.of("a reply with a Read chunk that is not at position 0");
            }
        }
        return chunks.faultOfLongReply();
    }

    private static boolean hasReplyChunkInUse(ChunkLists chunks) {
        return chunks.replyChunk().isPresent() && chunks.replyChunk().get().size() != 0;
    }

    private static Received malformedReply(
            int xid, ChunkLists chunks, String why, Set<Extension> known) {
        return chunks.readList().isEmpty() || !known.contains(Extension.READ_CHUNKS)
                ? new Discard(why)
                : new OweDoneNotice(xid, why);
    }

    private static Received ofOption(Option header, int length, MemorySegment message) {
        return switch (header.operation()) {
            // V2-4.2.2-4: an operation with a payload has the direction of the message.
            case TransmitRequest request ->
                    header.direction() == Direction.CALL
                            ? new Transmission(header, request, message, length)
                            : new Discard("a ROPT_XMTREQ in a reply");
            case TransmitResponse response ->
                    header.direction() == Direction.REPLY
                            ? new Transmission(header, response, message, length)
                            : new OweBadHeader(header.xid(), "a ROPT_XMTRESP in a call");
            case Continuation continuation ->
                    new Transmission(header, continuation, message, length);
            case CallWithDoneNotices(var doneXids, var chunks) ->
                    header.direction() == Direction.CALL
                            ? call(header, chunks, doneXids, message.asSlice(length))
                            : new Discard("a ROPT_RPCALL in a reply");
            // The type of these is sufficient, so a wrong direction is accepted.
            case Operation.Exchange _,
                    Operation.TransmitError _,
                    Operation.DoneNotice _,
                    Operation.DoneAck _ ->
                    new Control(header);
        };
    }

    /** The first words of an RPC message (RFC 5531, Section 9). */
    final class RpcMessage {
        private static final ValueLayout.OfInt UINT32 =
                ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
        private static final int TYPE_AT = 4;

        private RpcMessage() {}

        /**
         * Returns why a payload is not the RPC message that its header describes; empty if it is.
         */
        public static Optional<String> fault(MemorySegment payload, int xid, Direction direction) {
            // V2-4.2.1-1.
            if (payload.byteSize() < TYPE_AT + Integer.BYTES) {
                return Optional.of("a header without its message");
            }
            return fault(payload.get(UINT32, 0), payload.get(UINT32, TYPE_AT), xid, direction);
        }

        /** Returns the same from the first two words of the message. */
        public static Optional<String> fault(int first, int second, int xid, Direction direction) {
            // V2-4.2-1, V2-4.2-2.
            if (first != xid) {
                return Optional.of("the XIDs of header and message differ");
            }
            // V2-4.2.2-2.
            return second == direction.ordinal()
                    ? Optional.empty()
                    : Optional.of("the directions of header and message differ");
        }
    }
}
