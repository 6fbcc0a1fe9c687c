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
        if (positionZeroBytes(chunks) >= 0) {
            return owe(header, "an RDMA_MSG with a Position-Zero Read chunk");
        }
        return checked(header, chunks, payload);
    }

    static Received call(NoMsg header) {
        var chunks = header.chunks();
        long length = positionZeroBytes(chunks);
        // RFC 8166-4.2.4-1.
        if (length < 0) {
            return owe(header, "an RDMA_NOMSG call without a Position-Zero Read chunk");
        }
        if (length == 0 || length % Integer.BYTES != 0) {
            return owe(header, "the Position-Zero Read chunk is not a whole message");
        }
        return checked(header, chunks, MemorySegment.NULL);
    }

    private static Received checked(
            TransportHeader header, ChunkLists chunks, MemorySegment payload) {
        var wrong = readListFault(chunks);
        if (wrong.isPresent()) {
            return owe(header, wrong.get());
        }
        for (var chunk : chunks.writeList()) {
            if (wraps(chunk)) {
                return owe(header, "a segment wraps around the end of memory");
            }
        }
        if (chunks.replyChunk().isPresent() && wraps(chunks.replyChunk().get())) {
            return owe(header, "a segment wraps around the end of memory");
        }
        return new Call(header, chunks, payload);
    }

    private static Optional<String> readListFault(ChunkLists chunks) {
        for (var read : chunks.readList()) {
            // RFC 8166-3.4.5-3.
            if ((read.position() & 3) != 0) {
                return Optional.of("a Position is not a multiple of four");
            }
            if (wraps(read.target())) {
                return Optional.of("a segment wraps around the end of memory");
            }
        }
        return Optional.empty();
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
            if (positionZeroBytes(chunks) >= 0) {
                return new Discard("an RDMA_MSG with a Position-Zero Read chunk");
            }
        }
        var wrong = readListFault(chunks);
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
        long inReplyChunk = chunks.replyChunk().map(WriteChunk::size).orElse(0L);
        long toBeRead = positionZeroBytes(chunks);
        if (inReplyChunk == 0 && toBeRead < 0) {
            return new Discard("an RDMA_NOMSG reply without a Reply chunk");
        }
        if (inReplyChunk > 0 && toBeRead >= 0) {
            return new Discard("a message both in the Reply chunk and to be read");
        }
        if (toBeRead == 0 || toBeRead > 0 && toBeRead % Integer.BYTES != 0) {
            return new Discard("the Position-Zero Read chunk is not a whole message");
        }
        return readListFault(chunks)
                .<Received>map(Discard::new)
                .orElseGet(() -> new Reply(header, chunks, MemorySegment.NULL));
    }

    /** The length of the Position-Zero Read chunk in octets; -1 if there is none. */
    private static long positionZeroBytes(ChunkLists chunks) {
        long length = -1;
        for (var read : chunks.readList()) {
            if (read.position() == 0) {
                length = Math.max(length, 0) + read.target().size();
            }
        }
        return length;
    }

    private static boolean wraps(WriteChunk chunk) {
        for (var segment : chunk.segments()) {
            if (wraps(segment)) {
                return true;
            }
        }
        return false;
    }

    private static boolean wraps(Segment segment) {
        long end = segment.offset() + segment.size();
        return Long.compareUnsigned(end, segment.offset()) < 0 && end != 0;
    }
}
