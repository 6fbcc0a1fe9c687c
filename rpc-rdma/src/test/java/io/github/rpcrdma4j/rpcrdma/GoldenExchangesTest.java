package io.github.rpcrdma4j.rpcrdma;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.rpcrdma.wire.Golden;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.verbs.WorkRequest;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a real server gives the answers of the worked examples. Method: their octets are sent as
 * they are, by hand, over iWARP; then a NULL call shows that the connection lives.
 */
class GoldenExchangesTest {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(20);
    private static final long TURN = TimeUnit.MILLISECONDS.toNanos(5);
    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong UINT64 =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int NFS = 100003;
    private static final int WRITE = 7;

    /** In EX-03: a header with one Read segment, then XID, type, version, program, version. */
    private static final long PROCEDURE_AT = 52 + 20;

    private static final UpperLayerBinding BINDING =
            new UpperLayerBinding() {
                @Override
                public int program() {
                    return NFS;
                }

                @Override
                public int version() {
                    return 3;
                }

                @Override
                public Eligibility eligibility(int procedure) {
                    return procedure == WRITE ? new Eligibility(1, 0) : Eligibility.NONE;
                }
            };

    /** As much of NFSv3 as the examples need: NULL, and WRITE, which answers with its count. */
    private static final class Program implements RpcProgram {
        @Override
        public int program() {
            return NFS;
        }

        @Override
        public int lowestVersion() {
            return 3;
        }

        @Override
        public int highestVersion() {
            return 3;
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results) throws XdrException {
            var in = request.arguments();
            if (request.procedure() == WRITE) {
                in.opaque(64);
                in.uint64();
                int count = in.uint32();
                in.uint32();
                in.bulk(1 << 20);
                results.uint32(count);
            }
            in.finish();
            return AcceptStatus.SUCCESS;
        }
    }

    private final RdmaProvider provider = new IwarpProvider();

    /** Sends an example and gives what comes back, before the answer to a NULL call behind it. */
    private List<byte[]> exchange(MemorySegment message, int wanted) throws Exception {
        var loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        var domain = provider.allocateProtectionDomain();
        var queue = provider.createCompletionQueue();
        try (var server =
                        RpcRdmaServer.listen(
                                provider,
                                loopback,
                                List.of(new Program()),
                                List.of(BINDING),
                                RpcRdmaOptions.DEFAULT.withCredits(32));
                var pair =
                        provider.createQueuePair(new QueuePairOptions(domain, queue, 8, 8, 8, 8))) {
            var buffers = new ArrayList<MemorySegment>();
            for (int i = 0; i < 4; i++) {
                buffers.add(Arena.ofAuto().allocate(8192));
                pair.postReceive(i, buffers.get(i));
            }
            pair.connect(server.address(), new byte[0], Duration.ofSeconds(10));
            // Registered anew: the example's handle and offset give way to real ones.
            if (message.byteSize() > 40 && message.get(UINT32, 16) == 1) {
                var length = message.get(UINT32, 28);
                var region =
                        domain.register(
                                Arena.ofAuto().allocate(length), EnumSet.of(Access.REMOTE_READ));
                message.set(UINT32, 24, region.handle());
                message.set(UINT64, 32, region.address());
            }
            var heard = new ArrayList<byte[]>();
            pair.post(List.of(new WorkRequest.Send(1, List.of(message))));
            hear(wanted, heard, pair, queue, buffers);
            pair.post(List.of(new WorkRequest.Send(2, List.of(nullCall()))));
            hear(wanted + 1, heard, pair, queue, buffers);
            assertTrue(answersNull(heard.removeLast()), "something came that was not wanted");
            return heard;
        } finally {
            domain.close();
            queue.close();
        }
    }

    /** EX-01 with an XID of its own. */
    private static MemorySegment nullCall() {
        var call = shared("EX-01");
        call.set(UINT32, 0, 0x77777777);
        call.set(UINT32, 28, 0x77777777);
        return call;
    }

    private static MemorySegment shared(String example) {
        byte[] octets = Golden.octets(example);
        var memory = Arena.ofAuto().allocate(octets.length);
        memory.copyFrom(MemorySegment.ofArray(octets));
        return memory;
    }

    /** Polls until so many messages have come. */
    private static void hear(
            int wanted,
            List<byte[]> heard,
            QueuePair pair,
            CompletionQueue queue,
            List<MemorySegment> buffers)
            throws InterruptedException {
        var completions = new ArrayList<Completion>();
        long start = System.nanoTime();
        while (heard.size() < wanted) {
            assertTrue(System.nanoTime() - start < PATIENCE, () -> "heard " + heard.size());
            completions.clear();
            queue.poll(completions, TURN);
            for (var completion : completions) {
                assertTrue(completion.succeeded(), () -> pair.failure().toString());
                if (completion.operation() == Completion.Operation.RECEIVE) {
                    var message =
                            buffers.get((int) completion.workRequestId())
                                    .asSlice(0, completion.length());
                    heard.add(message.toArray(ValueLayout.JAVA_BYTE));
                }
            }
        }
    }

    private static boolean answersNull(byte[] reply) {
        return MemorySegment.ofArray(reply).get(UINT32, 0) == 0x77777777;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "BAD-03", "BAD-04", "BAD-05", "BAD-06", "BAD-07", "BAD-08", "BAD-09", "BAD-10",
                "BAD-11", "EX-23"
            })
    @Tag("5666-4.2-1")
    @Tag("5666-4.2-2")
    @Tag("5666-4.2-5")
    @Tag("8166-3.3.1-3")
    @Tag("8166-4.5-2")
    @Tag("8166-4.5.2-1")
    @Tag("8166-4.6.1-2")
    @Tag("8166-4.2.4-4")
    void answersWithErrChunk(String example) throws Exception {
        var replies = exchange(shared(example), 1);
        assertArrayEquals(Golden.octets("EX-20"), replies.getFirst());
    }

    @ParameterizedTest
    @ValueSource(strings = "BAD-02")
    @Tag("5666-4.2-3")
    @Tag("5666-4.2-4")
    @Tag("8166-4.5.1-1")
    @Tag("8166-4.5-4")
    @Tag("8166-4.5-5")
    void answersWithErrVers(String example) throws Exception {
        var replies = exchange(shared(example), 1);
        assertArrayEquals(Golden.octets("EX-19"), replies.getFirst());
    }

    @ParameterizedTest
    @ValueSource(strings = {"BAD-01", "EX-19", "EX-20", "EX-21", "EX-22"})
    @Tag("8166-4.2.4-3")
    @Tag("8166-4.5-1")
    @Tag("8166-4.6.2-2")
    void answersNothing(String example) throws Exception {
        assertEquals(List.of(), exchange(shared(example), 0));
    }

    @ParameterizedTest
    @ValueSource(strings = "BAD-16")
    @Tag("5666-3.3-2")
    @Tag("5666-4.2-5")
    @Tag("8166-4.5.2-2")
    void answersWithGarbageArgs(String example) throws Exception {
        var replies = exchange(shared(example), 1);
        assertArrayEquals(Golden.octets("BAD-16R"), replies.getFirst());
    }

    /** EX-03, of a procedure that takes nothing apart: the program is never asked. */
    @Test
    @Tag("8166-6.1-2")
    @Tag("8166-4.5.2-2")
    void refusesACallOfWhichTooMuchWasReduced() throws Exception {
        var call = shared("EX-03");
        call.set(UINT32, PROCEDURE_AT, 0);
        var replies = exchange(call, 1);
        assertArrayEquals(Golden.octets("BAD-16R"), replies.getFirst());
    }

    @ParameterizedTest
    @ValueSource(strings = "EX-03")
    @Tag("5666-3-2")
    void carriesOutAWriteWhoseDataIsInAReadChunk(String example) throws Exception {
        var replies = exchange(shared(example), 1);
        var reply = MemorySegment.ofArray(replies.getFirst());
        assertEquals(28 + 24 + 4, reply.byteSize());
        assertEquals(4093, reply.get(UINT32, 28 + 24));
    }
}
