package io.github.rpcrdma4j.nfs.v3;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.capture.linux.Capture;
import io.github.rpcrdma4j.nfs.CapturedSends;
import io.github.rpcrdma4j.nfs.Golden;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Received;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Goal: the decoder understands the NFSv3 messages of Linux, and the encoder reproduces them.
 * Method: decode and encode every call, and every reply without a Reply chunk, of recorded traffic.
 * Zeros replace the bytes of chunks.
 */
class CapturedMessagesTest {
    /** Provides zeros for data in chunks, of which the test knows only the length. */
    private record Zeros(boolean placed) implements Placements {
        @Override
        public MemorySegment take(long position, long count) {
            return placed ? MemorySegment.ofArray(new byte[(int) count]) : null;
        }

        @Override
        public void skipAbsent() {}

        @Override
        public void finish() {}
    }

    private final Map<Integer, Nfs3Call<?, ?>> open = new HashMap<>();
    private final EnumSet<Procedure> called = EnumSet.noneOf(Procedure.class);
    private final EnumSet<Procedure> answered = EnumSet.noneOf(Procedure.class);
    private int failures;

    @Test
    void decodesAndEncodesWhatLinuxSays() throws Exception {
        for (var name : List.of("linux-nfs3", "v3-crc-meta", "v3-crc-write1m")) {
            var streams = Capture.named(name).streams();
            open.clear();
            for (var stream : streams) {
                if (CapturedSends.isActive(stream.bytes())) {
                    for (byte[] message : CapturedSends.of(stream.bytes())) {
                        call(message);
                    }
                }
            }
            for (var stream : streams) {
                if (!CapturedSends.isActive(stream.bytes())) {
                    for (byte[] message : CapturedSends.of(stream.bytes())) {
                        reply(message);
                    }
                }
            }
        }
        // The traffic contains no LINK, MKNOD or READDIR; READLINK and READDIRPLUS used Reply
        // chunks.
        var missing =
                EnumSet.of(Procedure.NULL, Procedure.LINK, Procedure.MKNOD, Procedure.READDIR);
        assertEquals(EnumSet.complementOf(missing), called);
        missing.add(Procedure.READLINK);
        missing.add(Procedure.READDIRPLUS);
        assertEquals(EnumSet.complementOf(missing), answered);
        assertTrue(failures > 0);
    }

    private void call(byte[] message) throws Exception {
        var received =
                assertInstanceOf(
                        Received.Call.class, Received.byResponder(MemorySegment.ofArray(message)));
        var payload = received.payload();
        if (payload.byteSize() == 0) {
            return;
        }
        var in = new XdrReader(payload, new Zeros(!received.chunks().readList().isEmpty()));
        var header = CallHeader.decode(in);
        if (header.program() != Nfs3.PROGRAM || header.procedure() == Procedure.NULL.number()) {
            return;
        }
        long start = in.position();
        var call = Nfs3CallDecoder.decode(Procedure.of(header.procedure()), in);
        sameBytes(payload.asSlice(start), received.chunks(), call::encode);
        open.put(header.xid(), call);
        called.add(call.procedure());
    }

    private void reply(byte[] message) throws Exception {
        var received =
                assertInstanceOf(
                        Received.Reply.class, Received.byRequester(MemorySegment.ofArray(message)));
        var payload = received.payload();
        var call = open.get(received.header().xid());
        if (payload.byteSize() == 0 || call == null) {
            return;
        }
        var in = new XdrReader(payload, new Zeros(!received.chunks().writeList().isEmpty()));
        assertInstanceOf(ReplyHeader.Success.class, ReplyHeader.decode(in));
        reply(call, in, payload.asSlice(in.position()), received.chunks());
    }

    private <A, T> void reply(
            Nfs3Call<A, T> call, XdrReader in, MemorySegment results, ChunkLists chunks)
            throws Exception {
        var reply = call.replyFormat().decode(in);
        sameBytes(results, chunks, out -> call.replyFormat().encode(out, reply));
        answered.add(call.procedure());
        if (reply instanceof Nfs3Reply.Failed<A, T>) {
            failures++;
        }
    }

    private static void sameBytes(
            MemorySegment seen, ChunkLists chunks, Consumer<XdrWriter> encoding) {
        byte[] bytes = seen.toArray(ValueLayout.JAVA_BYTE);
        if (chunks.readList().isEmpty() && chunks.writeList().isEmpty()) {
            assertArrayEquals(bytes, Golden.flat(encoding));
            return;
        }
        try (var out = new XdrWriter(Golden.POOL)) {
            encoding.accept(out);
            assertArrayEquals(bytes, out.reducedStream().toArray(ValueLayout.JAVA_BYTE));
        }
    }
}
