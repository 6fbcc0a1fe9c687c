package io.github.rpcrdma4j.nfs.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.capture.linux.Capture;
import io.github.rpcrdma4j.nfs.CapturedSends;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.rpcrdma.chunk.ReadChunk;
import io.github.rpcrdma4j.rpcrdma.chunk.ReadChunkPlacements;
import io.github.rpcrdma4j.rpcrdma.wire.Received;
import io.github.rpcrdma4j.rpcrdma.wire.Received.MessageRole;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Goal: walks understand the COMPOUNDs of Linux, in both directions, and no reply is longer than
 * its bound. Method: walk over every call, and every reply without a Reply chunk, of recorded
 * traffic. Zeros replace the bytes of chunks.
 */
class CapturedCompoundsTest {
    private static final int NFS_PROGRAM = 100003;
    private static final int COMPOUND = 1;

    /** Provides zeros for data in Write chunks, and counts the bytes with their padding. */
    private static final class Zeros implements Placements {
        private final boolean placed;
        private long bytes;

        Zeros(boolean placed) {
            this.placed = placed;
        }

        @Override
        public MemorySegment take(long position, long count) {
            if (!placed) {
                return null;
            }
            bytes += (count + 3) & -4L;
            return MemorySegment.ofArray(new byte[(int) count]);
        }

        @Override
        public void skipAbsent() {}

        @Override
        public void finish() {}
    }

    private int calls;
    private int callbacks;
    private int items;
    private int replies;
    private int bounded;

    @Test
    void walksOverWhatLinuxSays() throws Exception {
        for (var name : List.of("linux-nfs4.1", "v4.1-crc-meta", "v4.1-crc-read1m")) {
            var streams = Capture.named(name).streams();
            for (var stream : streams) {
                var opposite = Capture.named(name).opposite(stream).orElseThrow();
                var open = new HashMap<Integer, CompoundCall>();
                for (byte[] message : CapturedSends.of(stream.bytes())) {
                    var bytes = MemorySegment.ofArray(message);
                    if (MessageRole.of(bytes) == MessageRole.RESPONDER) {
                        call(bytes, open);
                    }
                }
                for (byte[] message : CapturedSends.of(opposite.bytes())) {
                    var bytes = MemorySegment.ofArray(message);
                    if (MessageRole.of(bytes) == MessageRole.REQUESTER) {
                        reply(bytes, open);
                    }
                }
            }
        }
        assertTrue(calls > 100, "calls: " + calls);
        assertTrue(callbacks > 0, "callbacks: " + callbacks);
        assertTrue(items > 0, "items: " + items);
        assertTrue(replies > 100, "replies: " + replies);
        assertTrue(bounded > 20, "bounded: " + bounded);
    }

    private void call(MemorySegment message, Map<Integer, CompoundCall> open) throws Exception {
        var received = assertInstanceOf(Received.Call.class, Received.byResponder(message));
        if (received.payload().byteSize() == 0) {
            return;
        }
        var chunks =
                ReadChunk.of(received.chunks().readList()).stream()
                        .map(each -> new BulkItem(each.position(), zeros(each.size())))
                        .toList();
        var in = new XdrReader(received.payload(), new ReadChunkPlacements(chunks));
        var header = CallHeader.decode(in);
        if (header.procedure() != COMPOUND) {
            return;
        }
        boolean isForward = header.program() == NFS_PROGRAM;
        var kind = isForward ? CompoundKind.COMPOUND : CompoundKind.CB_COMPOUND;
        var call = CompoundCall.walk(kind, in);
        assertEquals(new WalkEnd.Complete(), call.end());
        in.finish();
        assertEquals(chunks.size(), chunks.isEmpty() ? 0 : call.items().size());
        assertEquals(1, call.minorVersion());
        open.put(header.xid(), call);
        calls += isForward ? 1 : 0;
        callbacks += isForward ? 0 : 1;
        items += call.items().size();
    }

    private static MemorySegment zeros(long size) {
        return MemorySegment.ofArray(new byte[(int) size]);
    }

    private void reply(MemorySegment message, Map<Integer, CompoundCall> open) throws Exception {
        var received = assertInstanceOf(Received.Reply.class, Received.byRequester(message));
        var call = open.get(received.header().xid());
        if (received.payload().byteSize() == 0 || call == null) {
            return;
        }
        var zeros = new Zeros(received.chunks().resultBytes() > 0);
        var in = new XdrReader(received.payload(), zeros);
        assertInstanceOf(ReplyHeader.Success.class, ReplyHeader.decode(in));
        long reduced = in.remaining();
        var reply = CompoundReply.walk(call.kind(), in);
        assertEquals(new WalkEnd.Complete(), reply.end());
        assertEquals(0, in.remaining());
        for (var each : reply.operations()) {
            var called = call.operations().get(each.index());
            assertEquals(called.operation(), each.operation());
            assertTrue(Nfs4Status.of(each.status()).isPresent());
        }
        requireWithin(call.longestResults(), reduced + zeros.bytes);
        if (zeros.bytes > 0) {
            requireWithin(call.longestReducedResults(), reduced);
        }
        replies++;
    }

    private void requireWithin(ResultsBound bound, long bytes) {
        if (bound instanceof ResultsBound.Bytes(var most)) {
            assertTrue(bytes <= most, bytes + " " + most);
            bounded++;
        }
    }
}
