package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Pairing;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: the binding of a program decides which Write chunk each of several results uses. Method: a
 * program with two results, each of which may be absent, between real sockets.
 */
class PairedResultsOverIwarpTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int PROGRAM = 0x2000_0077;
    private static final int ABSENT = -1;
    private static final int LENGTH = 20_000;

    private RpcRdmaServer server;
    private RpcRdmaClient client;

    /** A program whose results are two unions, each of an opaque or nothing. */
    private static final class TwoResults implements RpcProgram {
        @Override
        public ProgramId id() {
            return new ProgramId(PROGRAM, 1);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter out) throws XdrException {
            var in = request.arguments();
            int[] lengths = {in.uint32(), in.uint32()};
            in.finish();
            for (int length : lengths) {
                if (length == ABSENT) {
                    out.uint32(0).absentBulk();
                } else {
                    var data = MemorySegment.ofArray(EchoProgram.pattern(length, length));
                    var lease = request.pool().lease(length);
                    lease.segment().copyFrom(data);
                    out.uint32(1).bulk(lease.segment(), lease::close);
                }
            }
            return AcceptStatus.SUCCESS;
        }
    }

    private void connect(Pairing pairing) throws Exception {
        var provider = new IwarpProvider();
        var bindings =
                List.of(new OneBinding(PROGRAM, _ -> new Eligibility(0, 2).withPairing(pairing)));
        server =
                Connections.listen(
                        provider,
                        ManualPeer.LOOPBACK,
                        List.of(new TwoResults()),
                        bindings,
                        RpcRdmaOptions.DEFAULT);
        client =
                Connections.connect(
                        provider,
                        server.address(),
                        new Credential.None(),
                        bindings,
                        RpcRdmaOptions.DEFAULT);
    }

    @AfterEach
    void close() {
        client.close();
        server.close();
        assertEquals(0, client.leasedMemory());
        assertEquals(0, server.leasedMemory());
    }

    /** Makes a call, checks its results, and returns those that are present. */
    private List<MemorySegment> call(List<MemorySegment> targets, int... lengths) throws Exception {
        var call =
                new RpcCall(
                        PROGRAM,
                        1,
                        1,
                        out -> out.uint32(lengths[0]).uint32(lengths[1]),
                        16,
                        targets);
        var results = new ArrayList<MemorySegment>();
        try (var reply = client.call(call, TIMEOUT)) {
            var in = reply.results();
            for (int length : lengths) {
                if (in.uint32() == 0) {
                    assertEquals(ABSENT, length);
                    in.absentBulk();
                } else {
                    var data = in.bulk(length);
                    assertArrayEquals(
                            EchoProgram.pattern(length, length),
                            data.toArray(ValueLayout.JAVA_BYTE));
                    results.add(data);
                }
            }
            in.finish();
        }
        return results;
    }

    private static List<MemorySegment> targets(int... lengths) {
        return Arrays.stream(lengths).mapToObj(length -> Arena.ofAuto().allocate(length)).toList();
    }

    @ParameterizedTest
    @EnumSource
    @Tag("5666-3.6-5")
    @Tag("8166-4.3.2.2-1")
    void aResultHasTheChunkThatTheBindingSays(Pairing pairing) throws Exception {
        connect(pairing);
        var targets = targets(LENGTH, LENGTH);
        for (int first : new int[] {ABSENT, 0, 1, LENGTH}) {
            for (int second : new int[] {ABSENT, 0, 1, LENGTH}) {
                call(targets, first, second);
            }
        }
        var moved = call(targets, ABSENT, LENGTH).getFirst();
        var expected = targets.get(pairing == Pairing.SLIDING ? 0 : 1);
        assertEquals(expected.address(), moved.address());
        assertEquals(0, client.statistics().value(Counter.REPLY_CHUNKS));
    }

    @Test
    @Tag("8166-4.3.2.1-2")
    @Tag("8166-4.3.2.2-2")
    void noChunkIsShorterThanAResultThatMayMoveUp() throws Exception {
        connect(Pairing.SLIDING);
        call(targets(LENGTH, 100), LENGTH, 100);
        assertEquals(2, client.statistics().value(Counter.WRITE_CHUNKS));
        // The second result may not fit in the first chunk: the client offers a Reply chunk.
        call(targets(100, LENGTH), ABSENT, LENGTH);
        call(targets(100, LENGTH), 100, LENGTH);
        assertEquals(2, client.statistics().value(Counter.WRITE_CHUNKS));
        assertEquals(2, client.statistics().value(Counter.REPLY_CHUNKS));
    }

    @Test
    @Tag("5666-3.6-5")
    void ordinalPairingAllowsChunksOfAnyLength() throws Exception {
        connect(Pairing.ORDINAL);
        call(targets(100, LENGTH), ABSENT, LENGTH);
        call(targets(100, LENGTH), 100, LENGTH);
        assertEquals(3, client.statistics().value(Counter.WRITE_CHUNKS));
        assertEquals(0, client.statistics().value(Counter.REPLY_CHUNKS));
    }
}
