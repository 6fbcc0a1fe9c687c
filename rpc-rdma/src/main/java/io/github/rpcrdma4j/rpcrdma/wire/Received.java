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
 * What a received message is to the one who receives it, and so what is owed to its sender (RFC
 * 8166, Section 4.5). Header, chunk lists and payload have to agree (RFC 8166, Sections 4.2.4, 4.3
 * and 4.5.2; RFC 5666-4.2-1), and whether a message is a call or a reply is looked at before its
 * XID (RFC 8167-2.4-1, 5667-5.1-1). Pure and total.
 */
public sealed interface Received {
    /**
     * A usable call.
     *
     * @param header a {@link Msg} or a {@link NoMsg}
     * @param payload the RPC message as far as it came inline; empty for a NoMsg
     */
    record Call(Version1Header header, ChunkLists chunks, MemorySegment payload)
            implements Received {}

    /**
     * A usable reply.
     *
     * @param header a {@link Msg} or a {@link NoMsg}
     * @param payload the RPC message as far as it came inline; empty for a NoMsg
     */
    record Reply(Version1Header header, ChunkLists chunks, MemorySegment payload)
            implements Received {}

    /** The call of that XID failed for good: a {@link VersionError} or a {@link ChunkError}. */
    record Failure(Version1Header error) implements Received {}

    /** A call of a version that is not spoken here: answer with ERR_VERS (RFC 8166-4.5.1-1). */
    record OweVersionError(int xid, int version) implements Received {}

    /** A call that cannot be parsed: answer with ERR_CHUNK (RFC 8166-4.5-2, 8166-4.5.2-1). */
    record OweChunkError(int xid, int version, String why) implements Received {}

    /** Nothing is owed. */
    record Discard(String why) implements Received {}

    /**
     * Whom a message is for where both sides of a connection make calls (RFC 8167). Its XID says
     * nothing about that (RFC 8167-2.4-1): calls of both sides may have the same one at the same
     * time.
     */
    enum Recipient {
        /** A reply, or the failure of a call. */
        REQUESTER,
        /** A call. */
        RESPONDER,
        /** Nothing in the message tells, so it is for the role that was there first. */
        UNKNOWN;

        /** For whom a message is; any bytes give an answer. */
        public static Recipient of(MemorySegment message) {
            return switch (Version1HeaderCodec.decode(message)) {
                // Only calls are answered with errors (RFC 8166-4.5-7).
                case Decoded.MalformedError _ -> REQUESTER;
                case Decoded.TooShort _, Decoded.UnknownVersion _, Decoded.Malformed _ -> UNKNOWN;
                case Decoded.Ok(var header, var length) ->
                        switch (header) {
                            case VersionError _, ChunkError _ -> REQUESTER;
                            case Done _ -> UNKNOWN;
                            case Msg _ -> byMessageType(message.asSlice(length));
                            // Only a call has a Read list (RFC 8166-4.3.1-2). Without one it is a
                            // reply in a Reply chunk, or a call that makes no sense.
                            case NoMsg(_, _, var chunks) ->
                                    chunks.readList().isEmpty() ? UNKNOWN : RESPONDER;
                        };
            };
        }

        private static Recipient byMessageType(MemorySegment payload) {
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
     * What a message is to a responder. The order of the checks is: length, RDMA_ERROR, version,
     * header, lists, payload.
     */
    static Received byResponder(MemorySegment message) {
        // RFC 8166-4.5-1: without a word.
        if (message.byteSize() < Version1HeaderCodec.EMPTY_LISTS_BYTES) {
            return new Discard("shorter than any call");
        }
        return switch (Version1HeaderCodec.decode(message)) {
            case Decoded.TooShort _ -> new Discard("shorter than any header");
            // An error in answer to an error would never end (RFC 8166-4.2.4-3, 8166-4.5-7).
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
     * What a message is to a requester. A header that makes no sense is discarded in silence (RFC
     * 8166-4.5-3), and nothing is ever sent for it (RFC 8166-4.2.4-2).
     */
    static Received byRequester(MemorySegment message) {
        return byRequester(message, false);
    }

    /**
     * What a message is to a requester that may have to fetch results.
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

    /** What a call is whose message follows its header; empty if it is usable. */
    static Optional<Received> faultOfCall(int xid, ChunkLists chunks, MemorySegment payload) {
        if (hasNoType(payload)) {
            return owe(xid, "an RDMA_MSG without a message");
        }
        int type = word(payload, Integer.BYTES);
        if (type == PlainMessage.REPLY) {
            // Its sender could take an error for the end of a call of its own (RFC 8167, 2.4).
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
     * What a reply is whose message follows its header; empty if it is usable.
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

    /** What a reply is whose message is a chunk; empty if it is usable. */
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
