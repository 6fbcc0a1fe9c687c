package io.github.rpcrdma4j.nfs.v4.operation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.capture.linux.Capture;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.CapturedSends;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.rpcrdma.wire.Received;
import io.github.rpcrdma4j.rpcrdma.wire.Received.MessageRole;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Goal: the records understand what Linux says, and say it in the same bytes. Method: decode every
 * call and reply of recorded traffic that has no chunks, encode it again, and compare the bytes.
 */
class CapturedOperationsTest {
    private static final int NFS_PROGRAM = 100003;
    private static final int COMPOUND = 1;

    private final SegmentPool pool = new SegmentPool(1 << 20);
    private final Set<Opcode> called = EnumSet.noneOf(Opcode.class);
    private final Set<Opcode> answered = EnumSet.noneOf(Opcode.class);
    private final Set<CallbackOpcode> callbacks = EnumSet.noneOf(CallbackOpcode.class);

    private interface Encoder {
        void encode(XdrWriter out);
    }

    private void requireSame(MemorySegment expected, Encoder encoder) {
        try (var out = new XdrWriter(pool)) {
            encoder.encode(out);
            out.inlineBulkItems();
            assertArrayEquals(
                    expected.toArray(ValueLayout.JAVA_BYTE),
                    out.reducedStream().toArray(ValueLayout.JAVA_BYTE));
        }
    }

    @Test
    void recordsAreWhatLinuxSays() throws Exception {
        for (var name : List.of("linux-nfs4.1", "v4.1-crc-meta", "v4.1-crc-read1m")) {
            var streams = Capture.named(name).streams();
            for (var stream : streams) {
                var opposite = Capture.named(name).opposite(stream).orElseThrow();
                var open = new HashMap<Integer, Boolean>();
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
        assertTrue(called.size() > 20, () -> "called: " + called);
        assertTrue(answered.size() > 20, () -> "answered: " + answered);
        assertTrue(callbacks.contains(CallbackOpcode.CB_SEQUENCE), () -> "called: " + callbacks);
    }

    private void call(MemorySegment message, Map<Integer, Boolean> open) throws Exception {
        var received = assertInstanceOf(Received.Call.class, Received.byResponder(message));
        if (received.payload().byteSize() == 0 || !received.chunks().readList().isEmpty()) {
            return;
        }
        var in = new XdrReader(received.payload());
        var header = CallHeader.decode(in);
        if (header.procedure() != COMPOUND) {
            return;
        }
        boolean isForward = header.program() == NFS_PROGRAM;
        open.put(header.xid(), isForward);
        var body = received.payload().asSlice(in.position());
        if (isForward) {
            var arguments = CompoundArguments.decode(in);
            in.finish();
            requireSame(body, arguments::encode);
            arguments.operations().forEach(each -> called.add(each.opcode()));
        } else {
            var arguments = CallbackCompound.decode(in);
            requireSame(body, arguments::encode);
            arguments.callbacks().forEach(each -> callbacks.add(each.opcode()));
        }
    }

    private void reply(MemorySegment message, Map<Integer, Boolean> open) throws Exception {
        var received = assertInstanceOf(Received.Reply.class, Received.byRequester(message));
        var isForward = open.get(received.header().xid());
        if (received.payload().byteSize() == 0
                || isForward == null
                || received.chunks().resultBytes() > 0) {
            return;
        }
        var in = new XdrReader(received.payload());
        assertInstanceOf(ReplyHeader.Success.class, ReplyHeader.decode(in));
        var body = received.payload().asSlice(in.position());
        if (isForward) {
            var result = CompoundResult.decode(in);
            requireSame(body, result::encode);
            result.results().forEach(each -> answered.add(each.opcode()));
        } else {
            requireSame(body, CallbackCompound.Outcome.decode(in)::encode);
        }
    }
}
