package io.github.rpcrdma4j.rpcrdma.wire;

import io.github.rpcrdma4j.rpcrdma.wire.Received.Call;
import io.github.rpcrdma4j.rpcrdma.wire.Received.Discard;
import io.github.rpcrdma4j.rpcrdma.wire.Received.OweChunkError;
import io.github.rpcrdma4j.rpcrdma.wire.Received.Reply;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader.NoMsg;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * Checks that chunk lists and payload agree (RFC 8166, Sections 4.2.4, 4.3 and 4.5.2; RFC
 * 5666-4.2-1). Whether a message is a call or a reply is looked at before its XID (RFC 8167-2.4-1,
 * 5667-5.1-1).
 */
final class Payloads {
    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int MESSAGE_TYPE_AT = 4;
    private static final int CALL = 0;
    private static final int REPLY = 1;

    private Payloads() {}

    /** For whom an RPC message is, by its type. */
    static Recipient recipient(MemorySegment payload) {
        if (payload.byteSize() < MESSAGE_TYPE_AT + Integer.BYTES) {
            return Recipient.UNKNOWN;
        }
        return switch (payload.get(UINT32, MESSAGE_TYPE_AT)) {
            case CALL -> Recipient.RESPONDER;
            case REPLY -> Recipient.REQUESTER;
            default -> Recipient.UNKNOWN;
        };
    }

    static Received call(TransportHeader header, ChunkLists chunks, MemorySegment payload) {
        if (payload.byteSize() < MESSAGE_TYPE_AT + Integer.BYTES) {
            return owe(header, "an RDMA_MSG without a message");
        }
        int type = payload.get(UINT32, MESSAGE_TYPE_AT);
        if (type == REPLY) {
            // Its sender could take an error for the end of a call of its own (RFC 8167, 2.4).
            return new Discard("a reply at a responder");
        }
        if (type != CALL) {
            return owe(header, "neither a call nor a reply");
        }
        // RFC 8166-4.2.1-1.
        if (payload.get(UINT32, 0) != header.xid()) {
            return owe(header, "the XIDs of header and message differ");
        }
        return checked(header, chunks, ChunkFaults.ofInlineCall(chunks), payload);
    }

    static Received call(NoMsg header) {
        var chunks = header.chunks();
        return checked(header, chunks, ChunkFaults.ofLongCall(chunks), MemorySegment.NULL);
    }

    private static Received checked(
            TransportHeader header,
            ChunkLists chunks,
            Optional<String> fault,
            MemorySegment payload) {
        return fault.<Received>map(why -> owe(header, why))
                .orElseGet(() -> new Call(header, chunks, payload));
    }

    private static OweChunkError owe(TransportHeader header, String why) {
        return new OweChunkError(header.xid(), TransportHeader.VERSION, why);
    }

    static Received reply(
            TransportHeader header, ChunkLists chunks, MemorySegment payload, Edition edition) {
        if (payload.byteSize() < MESSAGE_TYPE_AT + Integer.BYTES) {
            return new Discard("an RDMA_MSG without a message");
        }
        int type = payload.get(UINT32, MESSAGE_TYPE_AT);
        if (type != REPLY) {
            return new Discard(
                    type == CALL ? "a call at a requester" : "neither a call nor a reply");
        }
        if (payload.get(UINT32, 0) != header.xid()) {
            return new Discard("the XIDs of header and message differ");
        }
        if (!chunks.readList().isEmpty()) {
            if (edition == Edition.RFC_8166) {
                // RFC 8166-4.3.1-2.
                return new Discard("a reply with a Read list");
            }
            if (ChunkFaults.positionZeroBytes(chunks) >= 0) {
                return new Discard("an RDMA_MSG with a Position-Zero Read chunk");
            }
        }
        var wrong = ChunkFaults.ofReadList(chunks);
        if (wrong.isPresent()) {
            return new Discard(wrong.get());
        }
        if (chunks.replyChunk().isPresent() && chunks.replyChunk().get().size() != 0) {
            return new Discard("a message both inline and in the Reply chunk");
        }
        return new Reply(header, chunks, payload);
    }

    static Received reply(NoMsg header, Edition edition) {
        var chunks = header.chunks();
        if (edition == Edition.RFC_8166 && !chunks.readList().isEmpty()) {
            return new Discard("a reply with a Read list");
        }
        return ChunkFaults.ofLongReply(chunks)
                .<Received>map(Discard::new)
                .orElseGet(() -> new Reply(header, chunks, MemorySegment.NULL));
    }
}
