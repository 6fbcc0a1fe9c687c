package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.CallOutcome;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Goal: a page of bulk data travels in one Send each way, between real sockets. */
class PagesOverIwarpTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int PAGE = 4096;

    private final RdmaProvider provider = new IwarpProvider();
    private RpcRdmaServer server;
    private RpcRdmaClient client;

    private void connect(RpcRdmaOptions options) throws Exception {
        server =
                Connections.listen(
                        provider,
                        ManualPeer.LOOPBACK,
                        List.of(new EchoProgram()),
                        List.of(EchoProgram.BINDING),
                        options);
        client =
                Connections.connect(
                        provider,
                        server.address(),
                        new Credential.None(),
                        List.of(EchoProgram.BINDING),
                        options);
    }

    @AfterEach
    void checkNothingLeaks() {
        assertEquals(0, client.openWindows());
        client.close();
        server.close();
        assertEquals(0, client.leasedMemory());
        assertEquals(0, server.leasedMemory());
    }

    private void callsOf(int size, MemorySegment data, MemorySegment target) throws Exception {
        EchoProgram.fill(data, size);
        var calls = new EchoCalls(client, TIMEOUT);
        calls.store(data);
        calls.fetch(7, target);
        calls.swap(data, target);
    }

    private long chunks() {
        var all = client.statistics();
        return all.value(Counter.READ_CHUNKS)
                + all.value(Counter.WRITE_CHUNKS)
                + all.value(Counter.REPLY_CHUNKS)
                + all.value(Counter.LONG_CALLS);
    }

    @Test
    void aPageNeedsNoChunkFromAnyMemory() throws Exception {
        connect(RpcRdmaOptions.DEFAULT);
        try (var shared = Arena.ofShared();
                var confined = Arena.ofConfined()) {
            callsOf(PAGE, shared.allocate(PAGE), shared.allocate(PAGE));
            callsOf(PAGE, confined.allocate(PAGE), confined.allocate(PAGE));
            var heap = MemorySegment.ofArray(new byte[PAGE]);
            callsOf(PAGE, heap, MemorySegment.ofArray(new byte[PAGE]));
        }
        assertEquals(0, chunks());
    }

    /** Goal: bulk data of all lengths around the inline thresholds arrives. */
    @Test
    void everySizeArrivesWhetherItFitsOrNot() throws Exception {
        connect(RpcRdmaOptions.DEFAULT);
        for (int size = 4900; size < 5150; size++) {
            var data = Arena.ofAuto().allocate(size);
            callsOf(size, data, Arena.ofAuto().allocate(size));
        }
        assertTrue(chunks() > 0);
    }

    /** Goal: bulk data that fits a Send, but is too long to copy, also needs no chunk. */
    @Test
    void longSendsCarryMoreThanIsCopied() throws Exception {
        connect(
                RpcRdmaOptions.DEFAULT.toBuilder()
                        .inlineSend(64 << 10)
                        .inlineReceive(64 << 10)
                        .build());
        for (int size : new int[] {PAGE, 8191, 8192, 8193, 9001, 30_000, 65_000}) {
            var data = Arena.ofAuto().allocate(size);
            callsOf(size, data, Arena.ofAuto().allocate(size));
        }
        assertEquals(0, chunks());
    }

    @Test
    void repliesOfAllLengthsTakeTurnsInOneCall() throws Exception {
        connect(RpcRdmaOptions.DEFAULT);
        for (int round = 0; round < 200; round++) {
            int size = new int[] {PAGE, 0, 100, 1500, 900, 3000, PAGE}[round % 7];
            var target = Arena.ofAuto().allocate(PAGE).asSlice(0, size);
            try (var reply = client.call(EchoProgram.fetch(size, round, target), TIMEOUT)) {
                assertEquals(size, reply.results().uint32());
                assertArrayEquals(
                        EchoProgram.pattern(size, round),
                        reply.results().bulk(size).toArray(ValueLayout.JAVA_BYTE));
            }
        }
    }

    @Test
    void callersDoNotSeeEachOthersPages() throws Exception {
        connect(RpcRdmaOptions.DEFAULT.toBuilder().credits(5).build());
        var work = new ArrayList<Callable<Void>>();
        for (int i = 0; i < 20; i++) {
            int number = i;
            work.add(
                    () -> {
                        for (int round = 0; round < 50; round++) {
                            int seed = 50 * number + round;
                            var target = MemorySegment.ofArray(new byte[PAGE]);
                            var call = EchoProgram.fetch(PAGE, seed, target);
                            try (var reply = client.call(call, TIMEOUT)) {
                                reply.results().uint32();
                                assertArrayEquals(
                                        EchoProgram.pattern(PAGE, seed),
                                        reply.results().bulk(PAGE).toArray(ValueLayout.JAVA_BYTE));
                            }
                        }
                        return null;
                    });
        }
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var done : threads.invokeAll(work)) {
                done.get();
            }
        }
    }

    /** Goal: a pipeline delivers to each of its calls the page that the call requested. */
    @Test
    void aPipelineBringsPages() throws Exception {
        connect(RpcRdmaOptions.DEFAULT);
        var right = new int[1];
        try (var pipeline = client.pipeline()) {
            for (int i = 0; i < 300; i++) {
                int seed = i;
                pipeline.submit(fetch(seed), TIMEOUT, outcome(seed, right));
                if (i % 40 == 39) {
                    pipeline.poll(TIMEOUT);
                }
            }
            while (pipeline.poll(TIMEOUT)) {
                // The pipeline delivers outcomes.
            }
        }
        assertEquals(300, right[0]);
        assertEquals(0, chunks());
    }

    private static RpcCall fetch(int seed) {
        return EchoProgram.fetch(PAGE, seed, Arena.ofAuto().allocate(PAGE));
    }

    private static CallOutcome outcome(int seed, int[] right) {
        return new CallOutcome() {
            @Override
            public void succeeded(XdrReader results) throws XdrException {
                results.uint32();
                assertArrayEquals(
                        EchoProgram.pattern(PAGE, seed),
                        results.bulk(PAGE).toArray(ValueLayout.JAVA_BYTE));
                right[0]++;
            }

            @Override
            public void failed(RpcException reason) {
                throw new AssertionError(reason);
            }
        };
    }
}
