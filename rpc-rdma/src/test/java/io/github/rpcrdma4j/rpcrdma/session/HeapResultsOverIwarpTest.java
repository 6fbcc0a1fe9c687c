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
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Goal: a program may answer with memory of any kind. Method: many lengths of each kind. */
class HeapResultsOverIwarpTest {
    private static final int PROGRAM = 0x2000_0077;
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    /** Answers with a bulk item in heap memory, or in native memory that is not from a pool. */
    private static final class Answering implements RpcProgram {
        private final byte[] data = new byte[1 << 20];

        Answering() {
            new Random(5).nextBytes(data);
        }

        @Override
        public ProgramId id() {
            return new ProgramId(PROGRAM, 1);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results) throws XdrException {
            int length = request.arguments().uint32();
            request.arguments().finish();
            var heap = MemorySegment.ofArray(data).asSlice(0, length);
            if (request.procedure() == 1) {
                results.bulk(heap);
            } else {
                results.bulk(Arena.ofAuto().allocate(Math.max(1, length)).asSlice(0, length));
            }
            return AcceptStatus.SUCCESS;
        }
    }

    private static RpcCall call(int procedure, int length, MemorySegment target) {
        return new RpcCall(PROGRAM, 1, procedure, out -> out.uint32(length), 8, List.of(target));
    }

    @Test
    void arePlacedAndSentInline() throws Exception {
        var program = new Answering();
        var binding = new OneBinding(PROGRAM, _ -> new UpperLayerBinding.Eligibility(0, 1));
        var provider = new IwarpProvider();
        try (var server =
                        Connections.listen(
                                provider,
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                List.of(program),
                                List.of(binding),
                                RpcRdmaOptions.DEFAULT);
                var client =
                        Connections.connect(
                                provider,
                                server.address(),
                                new Credential.None(),
                                List.of(binding),
                                RpcRdmaOptions.DEFAULT)) {
            for (int length : new int[] {0, 1, 300, 513, 3000, 9000, 1 << 20}) {
                for (int procedure = 1; procedure <= 2; procedure++) {
                    var target = Arena.ofAuto().allocate(1 << 20);
                    try (var reply = client.call(call(procedure, length, target), TIMEOUT)) {
                        var got = reply.results().bulk(1 << 20).toArray(ValueLayout.JAVA_BYTE);
                        reply.results().finish();
                        assertEquals(length, got.length);
                        var sent = procedure == 1 ? program.data : new byte[length];
                        assertArrayEquals(Arrays.copyOf(sent, length), got);
                    }
                }
            }
            assertEquals(0, client.openWindows());
            assertEquals(0, server.openWindows());
        }
    }
}
