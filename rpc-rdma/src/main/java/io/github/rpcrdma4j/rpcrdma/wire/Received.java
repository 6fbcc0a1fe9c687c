package io.github.rpcrdma4j.rpcrdma.wire;

import io.github.rpcrdma4j.rpcrdma.wire.Version1Header.ChunkError;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header.Done;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header.Msg;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header.NoMsg;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header.VersionError;
import io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec.Decoded;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The meaning of a received message for its receiver, and the answer that is due (RFC 8166, Section
 * 4.5). Header, chunk lists and payload must agree (RFC 8166, Sections 4.2.4, 4.3 and 4.5.2; RFC
 * 5666-4.2-1). The message type, call or reply, is checked before the XID (RFC 8167-2.4-1,
 * 5667-5.1-1). The methods are pure, and any bytes give a result.
 *
 * <p>Tests: {@code ReactionsTest}.
 */
public sealed interface Received {
    /**
     * A usable call.
     *
     * @param header a {@link Msg} or a {@link NoMsg}
     * @param payload the inline data of the RPC message; empty for a NoMsg
     */
    record Call(Version1Header header, ChunkLists chunks, MemorySegment payload)
            implements Received {}

    /**
     * A usable reply.
     *
     * @param header a {@link Msg} or a {@link NoMsg}
     * @param payload the inline data of the RPC message; empty for a NoMsg
     */
    record Reply(Version1Header header, ChunkLists chunks, MemorySegment payload)
            implements Received {}

    /**
     * A permanent failure of the call with this XID: a {@link VersionError} or a {@link
     * ChunkError}.
     */
    record Failure(Version1Header error) implements Received {}

    /** A call of an unsupported version, to be answered by ERR_VERS (RFC 8166-4.5.1-1). */
    record OweVersionError(int xid, int version) implements Received {}

    /** A call that cannot be parsed, to be answered by ERR_CHUNK (RFC 8166-4.5-2, 8166-4.5.2-1). */
    record OweChunkError(int xid, int version, String why) implements Received {}

    /** A message without an answer. */
    record Discard(String why) implements Received {}

    /**
     * The role that a message is for, on a connection with calls both ways (RFC 8167). The XID does
     * not show it, because calls of both sides may have equal XIDs at the same time (RFC
     * 8167-2.4-1).
     */
    enum MessageRole {
        /** The requester, for a reply or the failure of a call. */
        REQUESTER,
        /** The responder, for a call. */
        RESPONDER,
        /** The message does not show its role, so it is for the first attached one. */
        UNKNOWN;

        /** Returns the role of a message. Any bytes give a result. */
        public static MessageRole of(MemorySegment message) {
            return switch (Version1HeaderCodec.decode(message)) {
                // Only calls are answered by errors (RFC 8166-4.5-7).
                case Decoded.MalformedError _ -> REQUESTER;
                case Decoded.TooShort _, Decoded.UnknownVersion _, Decoded.Malformed _ -> UNKNOWN;
                case Decoded.Ok(var header, var length) ->
                        switch (header) {
                            case VersionError _, ChunkError _ -> REQUESTER;
                            case Done _ -> UNKNOWN;
                            case Msg _ -> byMessageType(message.asSlice(length));
                            // Only a call has a Read list (RFC 8166-4.3.1-2). A message without one
                            // is a reply in a Reply chunk, or an invalid call.
                            case NoMsg(_, _, var chunks) ->
                                    chunks.readList().isEmpty() ? UNKNOWN : RESPONDER;
                        };
            };
        }

        private static MessageRole byMessageType(MemorySegment payload) {
            if (hasNoType(payload)) {
                return UNKNOWN;
            }
            return switch (word(payload, Integer.BYTES)) {
                case PlainMessage.CALL -> RESPONDER;
                case PlainMessage.REPLY -> REQUESTER;
                default -> UNKNOWN;
            };
        }
    }

    /**
     * Returns the meaning of a message for a responder. The order of the checks is: length,
     * RDMA_ERROR, version, header, lists, payload.
     */
    static Received byResponder(MemorySegment message) {
        // The message is discarded silently (RFC 8166-4.5-1).
        if (message.byteSize() < Version1HeaderCodec.EMPTY_LISTS_BYTES) {
            return new Discard("shorter than any call");
        }
        return switch (Version1HeaderCodec.decode(message)) {
            case Decoded.TooShort _ -> new Discard("shorter than any header");
            // Errors that answer errors would never end (RFC 8166-4.2.4-3, 8166-4.5-7).
            case Decoded.MalformedError _ -> new Discard("an RDMA_ERROR at a responder");
            case Decoded.UnknownVersion(var xid, var version) -> new OweVersionError(xid, version);
            case Decoded.Malformed(var xid, var version, var why) ->
                    new OweChunkError(xid, version, why);
            case Decoded.Ok(var header, var length) ->
                    switch (header) {
                        case VersionError _, ChunkError _ ->
                                new Discard("an RDMA_ERROR at a responder");
                        // RFC 8166-4.6.2-2.
                        case Done _ -> new Discard("an RDMA_DONE");
                        case Msg(var xid, _, var chunks) -> {
                            var payload = message.asSlice(length);
                            yield faultOfCall(xid, chunks, payload)
                                    .orElseGet(() -> new Call(header, chunks, payload));
                        }
                        case NoMsg(var xid, _, var chunks) ->
                                chunks.faultOfLongCall()
                                        .flatMap(why -> owe(xid, why))
                                        .orElseGet(
                                                () -> new Call(header, chunks, MemorySegment.NULL));
                    };
        };
    }

    /**
     * Returns the meaning of a message for a requester. A message with an invalid header is
     * discarded silently (RFC 8166-4.5-3), and never answered (RFC 8166-4.2.4-2).
     */
    static Received byRequester(MemorySegment message) {
        return byRequester(message, false);
    }

    /**
     * Returns the meaning of a message for a requester that may have to fetch results.
     *
     * @param mayBeRead whether a reply may have a Read list
     */
    static Received byRequester(MemorySegment message, boolean mayBeRead) {
        return switch (Version1HeaderCodec.decode(message)) {
            case Decoded.TooShort _ -> new Discard("shorter than any header");
            case Decoded.MalformedError(_, var why) -> new Discard("a bad RDMA_ERROR: " + why);
            // RFC 8167-5.1-2.
            case Decoded.UnknownVersion(_, var version) -> new Discard("of version " + version);
            case Decoded.Malformed(_, _, var why) -> new Discard("a bad header: " + why);
            case Decoded.Ok(var header, var length) ->
                    switch (header) {
                        case VersionError _, ChunkError _ -> new Failure(header);
                        case Done _ -> new Discard("an RDMA_DONE");
                        case Msg(var xid, _, var chunks) -> {
                            var payload = message.asSlice(length);
                            yield faultOfReply(xid, chunks, payload, mayBeRead)
                                    .orElseGet(() -> new Reply(header, chunks, payload));
                        }
                        case NoMsg(_, _, var chunks) ->
                                faultOfLongReply(chunks, mayBeRead)
                                        .orElseGet(
                                                () ->
                                                        new Reply(
                                                                header,
                                                                chunks,
                                                                MemorySegment.NULL));
                    };
        };
    }

    /** Returns the answer to a faulty call with an inline message; empty if the call is usable. */
    static Optional<Received> faultOfCall(int xid, ChunkLists chunks, MemorySegment payload) {
        if (hasNoType(payload)) {
            return owe(xid, "an RDMA_MSG without a message");
        }
        int type = word(payload, Integer.BYTES);
        if (type == PlainMessage.REPLY) {
            // The sender could mistake an error for the answer to its own call (RFC 8167, 2.4).
            return discard("a reply at a responder");
        }
        if (type != PlainMessage.CALL) {
            return owe(xid, "neither a call nor a reply");
        }
        // RFC 8166-4.2.1-1.
        if (word(payload, 0) != xid) {
            return owe(xid, "the XIDs of header and message differ");
        }
        return chunks.faultOfInlineCall().flatMap(why -> owe(xid, why));
    }

    private static Optional<Received> owe(int xid, String why) {
        return Optional.of(new OweChunkError(xid, Version1Header.VERSION, why));
    }

    private static Optional<Received> discard(String why) {
        return Optional.of(new Discard(why));
    }

    /**
     * Returns the fault of a reply with an inline message, as a {@link Discard}; empty if the reply
     * is usable.
     *
     * @param mayBeRead whether a reply may have a Read list
     */
    static Optional<Received> faultOfReply(
            int xid, ChunkLists chunks, MemorySegment payload, boolean mayBeRead) {
        if (hasNoType(payload)) {
            return discard("an RDMA_MSG without a message");
        }
        int type = word(payload, Integer.BYTES);
        if (type != PlainMessage.REPLY) {
            return discard(
                    type == PlainMessage.CALL
                            ? "a call at a requester"
                            : "neither a call nor a reply");
        }
        if (word(payload, 0) != xid) {
            return discard("the XIDs of header and message differ");
        }
        if (!chunks.readList().isEmpty()) {
            if (!mayBeRead) {
                // RFC 8166-4.3.1-2.
                return discard("a reply with a Read list");
            }
            if (chunks.positionZeroBytes() >= 0) {
                return discard("an RDMA_MSG with a Position-Zero Read chunk");
            }
        }
        var wrong = chunks.faultOfReadList();
        if (wrong.isPresent()) {
            return discard(wrong.get());
        }
        return chunks.replyChunk().isPresent() && chunks.replyChunk().get().size() != 0
                ? discard("a message both inline and in the Reply chunk")
                : Optional.empty();
    }

    /**
     * Returns the fault of a reply with its message in a chunk, as a {@link Discard}; empty if the
     * reply is usable.
     */
    private static Optional<Received> faultOfLongReply(ChunkLists chunks, boolean mayBeRead) {
        if (!mayBeRead && !chunks.readList().isEmpty()) {
            return discard("a reply with a Read list");
        }
        return chunks.faultOfLongReply().map(Discard::new);
    }

    private static boolean hasNoType(MemorySegment payload) {
        return payload.byteSize() < 2 * Integer.BYTES;
    }

    private static int word(MemorySegment payload, long at) {
        return payload.get(Version1HeaderCodec.UINT32, at);
    }
}
