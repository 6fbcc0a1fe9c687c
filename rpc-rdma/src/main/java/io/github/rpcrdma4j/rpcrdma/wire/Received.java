package io.github.rpcrdma4j.rpcrdma.wire;

import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader.ChunkError;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader.Done;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader.Msg;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader.NoMsg;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader.VersionError;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeaderCodec.Decoded;
import java.lang.foreign.MemorySegment;

/**
 * What a received message is to the one who receives it, and so what is owed to its sender (RFC
 * 8166, Section 4.5). Pure and total.
 */
public sealed interface Received {
    /**
     * A usable call.
     *
     * @param header a {@link Msg} or a {@link NoMsg}
     * @param payload the RPC message as far as it came inline; empty for a NoMsg
     */
    record Call(TransportHeader header, ChunkLists chunks, MemorySegment payload)
            implements Received {}

    /**
     * A usable reply.
     *
     * @param header a {@link Msg} or a {@link NoMsg}
     * @param payload the RPC message as far as it came inline; empty for a NoMsg
     */
    record Reply(TransportHeader header, ChunkLists chunks, MemorySegment payload)
            implements Received {}

    /** The call of that XID failed for good: a {@link VersionError} or a {@link ChunkError}. */
    record Failure(TransportHeader error) implements Received {}

    /** A call of a version that is not spoken here: answer with ERR_VERS (RFC 8166-4.5.1-1). */
    record OweVersionError(int xid, int version) implements Received {}

    /** A call that cannot be parsed: answer with ERR_CHUNK (RFC 8166-4.5-2, 8166-4.5.2-1). */
    record OweChunkError(int xid, int version, String why) implements Received {}

    /** Nothing is owed to anybody. */
    record Discard(String why) implements Received {}

    /**
     * What a message is to a responder. The order of the checks is: length, RDMA_ERROR, version,
     * header, lists, payload.
     */
    static Received byResponder(MemorySegment message) {
        // RFC 8166-4.5-1: without a word.
        if (message.byteSize() < TransportHeaderCodec.EMPTY_LISTS_BYTES) {
            return new Discard("shorter than any call");
        }
        return switch (TransportHeaderCodec.decode(message)) {
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
                            yield Payloads.faultOfCall(xid, chunks, payload)
                                    .orElseGet(() -> new Call(header, chunks, payload));
                        }
                        case NoMsg(var xid, _, var chunks) ->
                                Payloads.faultOfLongCall(xid, chunks)
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
        return switch (TransportHeaderCodec.decode(message)) {
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
                            yield Payloads.faultOfReply(xid, chunks, payload, false)
                                    .orElseGet(() -> new Reply(header, chunks, payload));
                        }
                        case NoMsg(_, _, var chunks) ->
                                Payloads.faultOfLongReply(chunks, false)
                                        .orElseGet(
                                                () ->
                                                        new Reply(
                                                                header,
                                                                chunks,
                                                                MemorySegment.NULL));
                    };
        };
    }
}
