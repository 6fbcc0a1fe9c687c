package io.github.rpcrdma4j.rpcrdma.rfc5666;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.oncrpc.spi.CallMessage;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.wire.Golden;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ConfRdmaTest {
    private static final int HEADER_BYTES = 28;
    private static final ConfRdma.Arguments ARGUMENTS = new ConfRdma.Arguments(4096, 8192, 8);

    private final SegmentPool pool = new SegmentPool(1 << 16);
    private final List<ConfRdma.Arguments> configured = new ArrayList<>();

    private static MemorySegment payload(String example) {
        byte[] bytes = Golden.bytes(example);
        return MemorySegment.ofArray(Arrays.copyOfRange(bytes, HEADER_BYTES, bytes.length));
    }

    private byte[] answer(MemorySegment call, Set<SecurityFlavor> flavors)
            throws InterruptedException {
        var program =
                new ConfRdmaProgram(new ConfRdma.Results(2048, 4096, 16), configured::add, flavors);
        try (var reply = new XdrWriter(pool)) {
            new RpcDispatcher(List.of(program))
                    .dispatch(
                            new XdrReader(call),
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
                            pool,
                            reply);
            return reply.reducedStream().toArray(ValueLayout.JAVA_BYTE);
        }
    }

    @Test
    @Tag("5666-6.2-1")
    @Tag("5666-12-3")
    void makesTheCallOfTheWorkedExample() throws Exception {
        try (var out = new XdrWriter(pool)) {
            CallMessage.encode(
                    out,
                    ConfRdma.call(ARGUMENTS),
                    1,
                    CallProtection.of(new Credential.None()),
                    pool);
            assertArrayEquals(
                    payload("EX-28").toArray(ValueLayout.JAVA_BYTE),
                    out.reducedStream().toArray(ValueLayout.JAVA_BYTE));
        }
    }

    @Test
    @Tag("5666-6.2-1")
    @Tag("5666-6.2-2")
    void givesTheAnswerOfTheWorkedExample() throws Exception {
        assertArrayEquals(
                payload("EX-29").toArray(ValueLayout.JAVA_BYTE),
                answer(payload("EX-28"), EnumSet.allOf(SecurityFlavor.class)));
        assertEquals(List.of(ARGUMENTS), configured);
    }

    @Test
    @Tag("5666-6.2-1")
    void readsTheAnswerOfTheWorkedExample() throws Exception {
        var in = new XdrReader(payload("EX-29"));
        ReplyHeader.decode(in);
        assertEquals(new ConfRdma.Results(2048, 4096, 16), ConfRdma.Results.decode(in));
        var cut = payload("EX-29");
        var longer = new XdrReader(cut.asSlice(cut.byteSize() - 16));
        assertThrows(XdrException.class, () -> ConfRdma.Results.decode(longer));
    }

    @Test
    @Tag("5666-11-9")
    void changesNothingForACallerOfARefusedFlavor() throws Exception {
        var reply = new XdrReader(MemorySegment.ofArray(answer(payload("EX-28"), Set.of())));
        assertEquals(
                new ReplyHeader.AuthError(1, ReplyHeader.AUTH_TOOWEAK), ReplyHeader.decode(reply));
        assertEquals(List.of(), configured);
    }

    @Test
    void answersNullAndNoOtherProcedure() throws Exception {
        for (int procedure : new int[] {0, 2}) {
            var call = payload("EX-28");
            var message = MemorySegment.ofArray(call.asSlice(0, 40).toArray(ValueLayout.JAVA_BYTE));
            message.set(ValueLayout.JAVA_BYTE, 23, (byte) procedure);
            var reply = new XdrReader(MemorySegment.ofArray(answer(message, Set.of())));
            assertEquals(
                    procedure == 0 ? "Success" : "AuthError",
                    ReplyHeader.decode(reply).getClass().getSimpleName());
        }
    }

    @Test
    @Tag("5666-6.2-2")
    @Tag("5666-6.2-3")
    @Tag("5666-6.2-5")
    void derivesParametersFromTheValuesOfBothSides() {
        var before = new ConnectionParameters(1024, 1024, true);
        var client = new ConfRdma.Arguments(4096, 8192, 8);
        var server = new ConfRdma.Results(2048, 4096, 16);
        assertEquals(
                new ConnectionParameters(2048, 8192, true).withReadsMax(16),
                server.parameters(before, client, 4096));
        assertEquals(
                new ConnectionParameters(1024, 8192, true).withReadsMax(16),
                server.parameters(before, client, 1024));
        assertEquals(
                new ConnectionParameters(1024, 8192, true).withReadsMax(8),
                client.parameters(before, 65536));
        assertEquals(
                new ConnectionParameters(1024, 4096, true).withReadsMax(8),
                client.parameters(before, 4096));
        var most = new ConfRdma.Results(-1, 0, -1);
        assertEquals(
                new ConnectionParameters(4096, 8192, true), most.parameters(before, client, 4096));
    }
}
