package io.github.rpcrdma4j.rpcrdma.wire;

import io.github.rpcrdma4j.rpcrdma.wire.Received.Discard;
import io.github.rpcrdma4j.rpcrdma.wire.Received.OweChunkError;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * Checks that chunk lists and payload agree (RFC 8166, Sections 4.2.4, 4.3 and 4.5.2; RFC
 * 5666-4.2-1). Whether a message is a call or a reply is looked at before its XID (RFC 8167-2.4-1,
 * 5667-5.1-1).
 */
public final class Payloads {
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

    /** What a call is whose message follows its header; empty if it is usable. */
    public static Optional<Received> faultOfCall(
            int xid, ChunkLists chunks, MemorySegment payload) {
        if (payload.byteSize() < MESSAGE_TYPE_AT + Integer.BYTES) {
            return owe(xid, "an RDMA_MSG without a message");
        }
        int type = payload.get(UINT32, MESSAGE_TYPE_AT);
        if (type == REPLY) {
            // Its sender could take an error for the end of a call of its own (RFC 8167, 2.4).
            return discard("a reply at a responder");
        }
        if (type != CALL) {
            return owe(xid, "neither a call nor a reply");
        }
        // RFC 8166-4.2.1-1.
        if (payload.get(UINT32, 0) != xid) {
            return owe(xid, "the XIDs of header and message differ");
        }
        return ChunkFaults.ofInlineCall(chunks).flatMap(why -> owe(xid, why));
    }

    /** What a call is whose message is a chunk; empty if it is usable. */
    public static Optional<Received> faultOfLongCall(int xid, ChunkLists chunks) {
        return ChunkFaults.ofLongCall(chunks).flatMap(why -> owe(xid, why));
    }

    private static Optional<Received> owe(int xid, String why) {
        return Optional.of(new OweChunkError(xid, TransportHeader.VERSION, why));
    }

    private static Optional<Received> discard(String why) {
        return Optional.of(new Discard(why));
    }

    /**
     * What a reply is whose message follows its header; empty if it is usable.
     *
     * @param mayBeRead whether a reply may have a Read list
     */
    public static Optional<Received> faultOfReply(
            int xid, ChunkLists chunks, MemorySegment payload, boolean mayBeRead) {
        if (payload.byteSize() < MESSAGE_TYPE_AT + Integer.BYTES) {
            return discard("an RDMA_MSG without a message");
        }
        int type = payload.get(UINT32, MESSAGE_TYPE_AT);
        if (type != REPLY) {
            return discard(type == CALL ? "a call at a requester" : "neither a call nor a reply");
        }
        if (payload.get(UINT32, 0) != xid) {
            return discard("the XIDs of header and message differ");
        }
        if (!chunks.readList().isEmpty()) {
            if (!mayBeRead) {
                // RFC 8166-4.3.1-2.
                return discard("a reply with a Read list");
            }
            if (ChunkFaults.positionZeroBytes(chunks) >= 0) {
                return discard("an RDMA_MSG with a Position-Zero Read chunk");
            }
        }
        var wrong = ChunkFaults.ofReadList(chunks);
        if (wrong.isPresent()) {
            return discard(wrong.get());
        }
        return chunks.replyChunk().isPresent() && chunks.replyChunk().get().size() != 0
                ? discard("a message both inline and in the Reply chunk")
                : Optional.empty();
    }

    /** What a reply is whose message is a chunk; empty if it is usable. */
    public static Optional<Received> faultOfLongReply(ChunkLists chunks, boolean mayBeRead) {
        if (!mayBeRead && !chunks.readList().isEmpty()) {
            return discard("a reply with a Read list");
        }
        return ChunkFaults.ofLongReply(chunks).map(Discard::new);
    }
}
