package io.github.rpcrdma4j.rpcrdma.rfc5666;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counted;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.metrics.Statistics;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.rfc5666.options.FetchedCounter;
import io.github.rpcrdma4j.rpcrdma.session.EchoCalls;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.ManualPeer;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Goal: both ends speak RFC 5666, over real sockets. */
class Rfc5666OverIwarpTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int[] SIZES = {
        0, 1, 4, 100, 600, 3900, 4096, 4097, 65535, 1 << 20, (1 << 20) + 1
    };
    private static final RpcRdmaOptions OPTIONS =
            RpcRdmaOptions.DEFAULT.withProfile(Rfc5666.DEFAULT);

    private final RdmaProvider provider = new IwarpProvider();
    private RpcRdmaServer server;
    private RpcRdmaClient client;

    private void connect(RpcRdmaOptions serving, RpcRdmaOptions calling, UpperLayerBinding binding)
            throws Exception {
        server =
                Connections.listen(
                        provider,
                        ManualPeer.LOOPBACK,
                        List.of(new EchoProgram()),
                        List.of(binding),
                        serving);
        client =
                Connections.connect(
                        provider,
                        server.address(),
                        new Credential.None(),
                        List.of(binding),
                        calling);
    }

    @AfterEach
    void everythingIsGivenBack() throws Exception {
        if (client != null) {
            // This call completes after all work that was posted before it.
            client.call(EchoProgram.nullCall(), TIMEOUT).close();
            assertEquals(0, client.openWindows());
            assertEquals(0, server.openWindows());
            client.close();
            server.close();
            assertEquals(0, client.leasedMemory());
            assertEquals(0, server.leasedMemory());
        }
    }

    private static void same(Counted counter, Statistics one, Statistics other) {
        assertEquals(one.value(counter), other.value(counter), counter::words);
    }

    @Test
    @Tag("5666-3.4-3")
    @Tag("5666-3.4-5")
    @Tag("5666-3.5-3")
    @Tag("5666-3.8-4")
    @Tag("5666-5.1-3")
    @Tag("5666-5.2-3")
    void fetchesEveryLargeReplyAndSendsRdmaDone() throws Exception {
        connect(OPTIONS, OPTIONS, EchoProgram.FETCHED);
        var calls = new EchoCalls(client, TIMEOUT);
        int large = 0;
        for (int size : SIZES) {
            large += size >= RpcRdmaOptions.DEFAULT.inlineSend() ? 3 : 0;
            var target = Arena.ofAuto().allocate(size + 1).asSlice(0, size);
            calls.fetch(7, target);
            try (var reply = client.call(EchoProgram.list(size, 5), TIMEOUT)) {
                assertArrayEquals(EchoProgram.pattern(size, 5), reply.results().bytes(size));
            }
            calls.swap(MemorySegment.ofArray(EchoProgram.pattern(size, 3)), target);
        }
        assertEquals(0, client.statistics().value(Counter.WRITE_CHUNKS));
        assertEquals(0, client.statistics().value(Counter.REPLY_CHUNKS));
        assertEquals(large, client.statistics().value(FetchedCounter.EXPOSED_REPLIES));
        assertEquals(large, client.statistics().value(FetchedCounter.DONE_NOTICES));
        client.call(EchoProgram.nullCall(), TIMEOUT).close();
        same(FetchedCounter.EXPOSED_REPLIES, client.statistics(), server.statistics());
        same(FetchedCounter.EXPOSED_REPLY_BYTES, client.statistics(), server.statistics());
        same(FetchedCounter.DONE_NOTICES, client.statistics(), server.statistics());
        same(Counter.DISCARDED, client.statistics(), server.statistics());
    }

    @Test
    @Tag("5666-3.8-5")
    @Tag("5666-3.8-6")
    @Tag("5666-3.8-7")
    @Tag("5666-3.8-8")
    void servesManyThreadsWithFewCredits() throws Exception {
        for (int credits : new int[] {1, 2, 5}) {
            // There is less room than the replies take, so they wait for each other.
            var mode = Rfc5666.DEFAULT.withExposedBytesMax(100_000);
            var options = OPTIONS.toBuilder().credits(credits).build().withProfile(mode);
            connect(options, OPTIONS, EchoProgram.FETCHED);
            var work = new ArrayList<Callable<Void>>();
            for (int i = 0; i < 20; i++) {
                int number = i;
                work.add(
                        () -> {
                            for (int round = 0; round < 10; round++) {
                                int size = 6000 + (number * 7919 + round * 104729) % 100_000;
                                try (var reply =
                                        client.call(EchoProgram.list(size, number), TIMEOUT)) {
                                    assertArrayEquals(
                                            EchoProgram.pattern(size, number),
                                            reply.results().bytes(size));
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
            assertEquals(200, client.statistics().value(FetchedCounter.DONE_NOTICES));
            everythingIsGivenBack();
        }
        client = null;
    }

    @Test
    @Tag("5666-3.9-1")
    @Tag("5666-3.9-2")
    @Tag("5666-3.9-3")
    @Tag("5666-4.1-7")
    @Tag("5666-6.2-8")
    void alignsLongItemsOfCallsAndReplies() throws Exception {
        connect(OPTIONS, OPTIONS, EchoProgram.FETCHED);
        for (int size : new int[] {511, 512, 600, 2000}) {
            byte[] bytes = EchoProgram.pattern(size, 3);
            var target = Arena.ofAuto().allocate(size);
            var swap = EchoProgram.swap(MemorySegment.ofArray(bytes), target);
            try (var reply = client.call(swap, TIMEOUT)) {
                assertArrayEquals(bytes, reply.results().bulk(size).toArray(ValueLayout.JAVA_BYTE));
                reply.results().finish();
            }
        }
        // Items from the threshold on are aligned, in both directions.
        assertEquals(3, client.statistics().value(Rfc5666.PADDED_MESSAGES));
        assertEquals(3, server.statistics().value(Rfc5666.PADDED_MESSAGES));
        assertEquals(0, client.statistics().value(Counter.READ_CHUNKS));
    }

    @Test
    @Tag("5666-3.8-4")
    void usesWriteChunksWhereABindingDoesNotAllowFetching() throws Exception {
        connect(OPTIONS, OPTIONS, EchoProgram.BINDING);
        // Neither length is a multiple of four, and one fills its chunk completely.
        for (int length : new int[] {99_999, 100_001}) {
            var target = Arena.ofAuto().allocate(100_001);
            try (var reply = client.call(EchoProgram.fetch(length, 7, target), TIMEOUT)) {
                assertEquals(length, reply.results().uint32());
                assertEquals(target.address(), reply.results().bulk(length).address());
            }
        }
        client.call(EchoProgram.list(100_000, 7), TIMEOUT).close();
        assertEquals(2, client.statistics().value(Counter.WRITE_CHUNKS));
        assertEquals(1, client.statistics().value(Counter.REPLY_CHUNKS));
        assertEquals(0, server.statistics().value(FetchedCounter.EXPOSED_REPLIES));
    }

    @Test
    @Tag("5666-6-2")
    @Tag("5666-6.2-1")
    @Tag("5666-6.2-3")
    @Tag("5666-6.2-4")
    @Tag("5666-6.2-5")
    void usesTheValuesThatTheServerReturns() throws Exception {
        connect(
                OPTIONS.toBuilder().inlineSend(8192).inlineReceive(2048).build(),
                OPTIONS.toBuilder().inlineSend(8192).inlineReceive(8192).build(),
                EchoProgram.FETCHED);
        // By its own settings the client could send the call inline and receive the reply inline.
        var data = MemorySegment.ofArray(EchoProgram.pattern(4000, 1));
        try (var reply = client.call(EchoProgram.tell(data), TIMEOUT)) {
            assertEquals(EchoProgram.sum(data), reply.results().uint64());
        }
        assertEquals(1, client.statistics().value(Counter.LONG_CALLS));
        client.call(EchoProgram.list(8000, 1), TIMEOUT).close();
        assertEquals(0, client.statistics().value(FetchedCounter.EXPOSED_REPLIES));
        client.call(EchoProgram.list(8200, 1), TIMEOUT).close();
        assertEquals(1, client.statistics().value(FetchedCounter.EXPOSED_REPLIES));
    }

    @Test
    @Tag("5666-6-2")
    void worksWithAServerOfRfc8166() throws Exception {
        connect(
                RpcRdmaOptions.DEFAULT,
                OPTIONS.withProfile(Rfc5666.DEFAULT.withAlign(1, 512)),
                EchoProgram.BINDING);
        var target = Arena.ofAuto().allocate(100_000);
        client.call(EchoProgram.fetch(100_000, 7, target), TIMEOUT).close();
        assertEquals(1, client.statistics().value(Counter.WRITE_CHUNKS));
    }

    @Test
    void servesAClientOfRfc8166() throws Exception {
        connect(OPTIONS, RpcRdmaOptions.DEFAULT, EchoProgram.FETCHED);
        var target = Arena.ofAuto().allocate(100_001);
        client.call(EchoProgram.fetch(100_001, 7, target), TIMEOUT).close();
        client.call(EchoProgram.list(100_000, 7), TIMEOUT).close();
        assertEquals(1, client.statistics().value(Counter.WRITE_CHUNKS));
        assertEquals(1, client.statistics().value(Counter.REPLY_CHUNKS));
    }

    @Test
    void isRefusedTogetherWithCallsOfTheServer() throws Exception {
        var served = new RpcDispatcher(List.of(new EchoProgram()));
        var refused =
                assertThrows(
                        IllegalArgumentException.class,
                        () ->
                                Connections.connect(
                                        provider,
                                        ManualPeer.LOOPBACK,
                                        new Credential.None(),
                                        List.of(EchoProgram.BINDING),
                                        served,
                                        OPTIONS));
        assertTrue(refused.getMessage().contains("5666"));
    }
}
