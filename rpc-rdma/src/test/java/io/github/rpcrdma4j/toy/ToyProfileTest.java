package io.github.rpcrdma4j.toy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/**
 * Goal: another module can add a wire profile without a change of the engine. Method: version 1
 * with one additional header word, by exported types alone, between client and server over sockets.
 */
class ToyProfileTest {
    private static final int PROGRAM = 0x2000_0099;
    private static final int ECHO = 1;
    private static final int LENGTH = 100_000;
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final RpcRdmaOptions TOY = RpcRdmaOptions.DEFAULT.withProfile(new ToyProfile());

    private final RdmaProvider provider = new IwarpProvider();

    /** Returns its bulk argument as a bulk result. */
    private record Echo() implements RpcProgram {
        @Override
        public ProgramId id() {
            return new ProgramId(PROGRAM, 1);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter out) throws XdrException {
            if (request.procedure() == ECHO) {
                var data = request.arguments().bulk(LENGTH);
                var copy = Arena.ofAuto().allocate(data.byteSize()).copyFrom(data);
                out.bulk(copy);
            }
            return AcceptStatus.SUCCESS;
        }
    }

    /** A binding with {@code eligible} bulk arguments and as many bulk results. */
    private record Binding(int eligible) implements UpperLayerBinding {
        @Override
        public int program() {
            return PROGRAM;
        }

        @Override
        public int version() {
            return 1;
        }

        @Override
        public Eligibility eligibility(int procedure) {
            return new Eligibility(eligible, eligible);
        }
    }

    private RpcRdmaServer serve(int eligible, RpcRdmaOptions options) throws Exception {
        return Connections.listen(
                provider,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                List.of(new Echo()),
                List.of(new Binding(eligible)),
                options);
    }

    private RpcRdmaClient connect(RpcRdmaServer server, int eligible, RpcRdmaOptions options)
            throws Exception {
        return Connections.connect(
                provider,
                server.address(),
                new Credential.None(),
                List.of(new Binding(eligible)),
                options);
    }

    private static RpcCall echo(MemorySegment data, List<MemorySegment> targets) {
        int resultsMax = targets.isEmpty() ? LENGTH + Integer.BYTES : Integer.BYTES;
        return new RpcCall(PROGRAM, 1, ECHO, out -> out.bulk(data), resultsMax, targets);
    }

    private static void checkEchoes(RpcRdmaClient client, boolean takesTargets) throws Exception {
        var random = RandomGenerator.of("L64X128MixRandom");
        for (int length : new int[] {1, 500, 6000, LENGTH}) {
            byte[] data = new byte[length];
            random.nextBytes(data);
            var targets =
                    takesTargets
                            ? List.of(Arena.ofAuto().allocate(LENGTH))
                            : List.<MemorySegment>of();
            try (var reply = client.call(echo(MemorySegment.ofArray(data), targets), TIMEOUT)) {
                assertArrayEquals(
                        data, reply.results().bulk(LENGTH).toArray(ValueLayout.JAVA_BYTE));
            }
        }
    }

    @Test
    void carriesBulkDataInChunks() throws Exception {
        try (var server = serve(1, TOY);
                var client = connect(server, 1, TOY)) {
            checkEchoes(client, true);
            assertEquals(2, client.statistics().value(Counter.READ_CHUNKS));
            assertEquals(4, client.statistics().value(Counter.WRITE_CHUNKS));
            assertEquals(0, client.openWindows());
        }
    }

    @Test
    void carriesLongMessages() throws Exception {
        try (var server = serve(0, TOY);
                var client = connect(server, 0, TOY)) {
            checkEchoes(client, false);
            assertEquals(2, client.statistics().value(Counter.LONG_CALLS));
            assertEquals(2, client.statistics().value(Counter.REPLY_CHUNKS));
        }
    }

    @Test
    void isNotUnderstoodByOthers() throws Exception {
        try (var server = serve(1, RpcRdmaOptions.DEFAULT);
                var client = connect(server, 1, TOY)) {
            var call = echo(MemorySegment.ofArray(new byte[1]), List.of());
            var refused =
                    assertThrows(
                            RpcException.TransportRefused.class, () -> client.call(call, TIMEOUT));
            assertEquals(
                    "the peer supports RPC-over-RDMA version 1, this side sent version 7",
                    refused.getMessage());
        }
    }
}
