package io.github.rpcrdma4j.rpcrdma.v2;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counted;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.rfc5666.options.FetchedCounter;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.ManualPeer;
import io.github.rpcrdma4j.rpcrdma.session.OneBinding;
import io.github.rpcrdma4j.rpcrdma.session.OneVersion;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies.ReplyChunks;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.TransferPolicy;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.Transmissions;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2Counter;
import io.github.rpcrdma4j.testing.Eventually;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Goal: requesters fetch replies that fit nowhere else, over real sockets. */
class ReadChunksOverIwarpTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final FetchedReplies NEVER =
            FetchedReplies.DEFAULT.withReplyChunks(ReplyChunks.NEVER);
    private static final FetchedReplies ALWAYS =
            FetchedReplies.DEFAULT.withReplyChunks(ReplyChunks.ALWAYS);

    /** Replies with the given numbers of bytes in the stream and as a bulk result. */
    private static final class Both extends OneVersion {
        static final int PROGRAM = 0x2000_0050;
        static final UpperLayerBinding BINDING =
                new OneBinding(
                        PROGRAM, _ -> new UpperLayerBinding.Eligibility(0, 1).withUnknownLength());

        Both() {
            super(PROGRAM, 1);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results) throws XdrException {
            int stream = request.arguments().uint32();
            int bulk = request.arguments().uint32();
            request.arguments().finish();
            results.opaque(EchoProgram.pattern(stream, 1));
            var lease = request.pool().lease(bulk);
            EchoProgram.fill(lease.segment(), 2);
            results.bulk(lease.segment(), lease::close);
            return AcceptStatus.SUCCESS;
        }
    }

    /** Replies when the test allows it. */
    private static final class Slow extends OneVersion {
        static final int PROGRAM = 0x2000_0051;
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch due = new CountDownLatch(1);

        Slow() {
            super(PROGRAM, 1);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws XdrException, InterruptedException {
            request.arguments().finish();
            begun.countDown();
            assertTrue(due.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS));
            results.opaque(EchoProgram.pattern(70_000, 3));
            return AcceptStatus.SUCCESS;
        }
    }

    private final RdmaProvider provider = new IwarpProvider();
    private final Slow slow = new Slow();
    private RpcRdmaServer server;
    private RpcRdmaClient client;

    private static RpcRdmaOptions options(FetchedReplies fetched) {
        return RpcRdmaOptions.DEFAULT.toBuilder()
                .inlineSend(4096)
                .inlineReceive(4096)
                .build()
                .withProfile(
                        new Version2Profile(
                                Version2.DEFAULT
                                        .withSpeaks1(false)
                                        .withoutTransmissions()
                                        .withFetchedReplies(fetched)));
    }

    private void connect(RpcRdmaOptions serving, RpcRdmaOptions calling) throws Exception {
        var bindings = List.of(EchoProgram.BINDING, Both.BINDING);
        server =
                Connections.listen(
                        provider,
                        ManualPeer.LOOPBACK,
                        List.of(new EchoProgram(), new Both(), slow),
                        bindings,
                        serving);
        client =
                Connections.connect(
                        provider, server.address(), new Credential.None(), bindings, calling);
    }

    private static void await(BooleanSupplier wanted) {
        Eventually.await(TIMEOUT, wanted::getAsBoolean);
    }

    /** No further call is made: a requester sends its notices unprompted. */
    @AfterEach
    void everythingIsGivenBack() {
        await(() -> server.openWindows() == 0);
        assertEquals(0, client.openWindows());
        client.close();
        assertEquals(0, client.leasedMemory());
        server.close();
        assertEquals(0, server.leasedMemory());
    }

    private void list(int size, int seed, RpcCall call) throws Exception {
        try (var reply = client.call(call, TIMEOUT)) {
            assertArrayEquals(
                    EchoProgram.pattern(size, seed),
                    reply.results().opaque(size).toArray(ValueLayout.JAVA_BYTE));
            reply.results().finish();
        }
    }

    private void list(int size, int seed) throws Exception {
        list(size, seed, EchoProgram.list(size, seed));
    }

    private long client(Counted counter) {
        return client.statistics().value(counter);
    }

    private long server(Counted counter) {
        return server.statistics().value(counter);
    }

    @Test
    @Tag("RPR-4.1-3")
    @Tag("RPR-4.1.1-3")
    @Tag("RPR-4.1.2-1")
    @Tag("RPR-5.3.1-4")
    void repliesOfEverySizeNeedNoReplyChunk() throws Exception {
        connect(options(NEVER), options(NEVER));
        int fetched = 0;
        long bytes = 0;
        for (int size : new int[] {1, 100, 4036, 4037, 4096, 20_001, 1_000_003, 64 << 20}) {
            list(size, size);
            fetched += size > 4036 ? 1 : 0;
            bytes += size > 4036 ? 28 + (size + 3 & ~3) : 0;
        }
        assertEquals(0, client(Counter.REPLY_CHUNKS));
        assertEquals(fetched, client(FetchedCounter.EXPOSED_REPLIES));
        assertEquals(bytes, client(FetchedCounter.EXPOSED_REPLY_BYTES));
        assertEquals(fetched, server(FetchedCounter.EXPOSED_REPLIES));
        // No other call is made, so each notice is sent at once, and invalidates the handle.
        await(() -> server(FetchedCounter.DONE_NOTICES) == client(FetchedCounter.EXPOSED_REPLIES));
        assertEquals(fetched, client(FetchedCounter.DONE_NOTICES));
        assertEquals(fetched, server(Counter.REMOTE_INVALIDATIONS));
        assertEquals(0, server(Counter.DISCARDED));
    }

    @Test
    @Tag("RPR-4.1.1-1")
    void repliesMayOutgrowEveryEstimate() throws Exception {
        connect(options(ALWAYS), options(ALWAYS));
        for (int size : new int[] {3000, 9000, 300_000, 5_000_000}) {
            // The call offers nothing, or a Reply chunk that is too short.
            for (int estimate : new int[] {100, 8000}) {
                var call =
                        new RpcCall(
                                EchoProgram.PROGRAM,
                                1,
                                EchoProgram.LIST,
                                out -> out.uint32(size).uint32(9),
                                estimate);
                list(size, 9, call);
            }
        }
        assertEquals(6, client(FetchedCounter.EXPOSED_REPLIES));
        list(9000, 2);
        assertEquals(1, client(Counter.REPLY_CHUNKS));
        assertEquals(6, client(FetchedCounter.EXPOSED_REPLIES));
    }

    @Test
    @Tag("RPR-4.1-4")
    @Tag("RPR-5.3.1-1")
    void writeChunksAreUsedAllTheSame() throws Exception {
        connect(options(FetchedReplies.DEFAULT), options(FetchedReplies.DEFAULT));
        for (int stream : new int[] {10, 20_001}) {
            var target = Arena.ofAuto().allocate(50_000);
            var call =
                    new RpcCall(
                            Both.PROGRAM,
                            1,
                            1,
                            out -> out.uint32(stream).uint32(50_000),
                            8 + 20_004,
                            List.of(target));
            try (var reply = client.call(call, TIMEOUT)) {
                assertArrayEquals(
                        EchoProgram.pattern(stream, 1),
                        reply.results().opaque(stream).toArray(ValueLayout.JAVA_BYTE));
                var data = reply.results().bulk(50_000);
                assertEquals(target.address(), data.address());
                assertArrayEquals(
                        EchoProgram.pattern(50_000, 2), data.toArray(ValueLayout.JAVA_BYTE));
                reply.results().finish();
            }
        }
        assertEquals(2, client(Counter.WRITE_CHUNKS));
        assertEquals(0, client(Counter.REPLY_CHUNKS));
        assertEquals(1, client(FetchedCounter.EXPOSED_REPLIES));
    }

    @Test
    @Tag("RPR-4.1.3-1")
    @Tag("RPR-4.1.4-6")
    @Tag("RPR-5.2.3-1")
    @Tag("RPR-5.2.3-3")
    @Tag("RPR-X-6")
    void manyCallersSendDoneNoticesWithTheirCalls() throws Exception {
        for (int credits : new int[] {1, 2, 5, 64}) {
            var scarce = NEVER.withExposedBytesMax(100_000);
            connect(
                    options(scarce).toBuilder().credits(credits).build(),
                    options(NEVER).toBuilder().segmentMax(30_000).build());
            var work = new ArrayList<Callable<Void>>();
            for (int i = 0; i < 16; i++) {
                int number = i;
                work.add(
                        () -> {
                            for (int round = 0; round < 12; round++) {
                                list((number * 7919 + round * 10_479) % 60_000, number);
                            }
                            return null;
                        });
            }
            try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                for (var done : threads.invokeAll(work)) {
                    done.get();
                }
            }
            assertTrue(client(FetchedCounter.EXPOSED_REPLIES) > 100);
            assertTrue(client(Version2Counter.DONE_NOTICES_WITH_CALLS) > 0);
            await(() -> server.openWindows() == 0);
            assertEquals(
                    client(FetchedCounter.EXPOSED_REPLIES), server(FetchedCounter.EXPOSED_REPLIES));
            assertEquals(0, server(Counter.DISCARDED));
            if (credits < 64) {
                everythingIsGivenBack();
            }
        }
    }

    @Test
    @Tag("RPR-3.4-1")
    @Tag("RPR-4.1.3-2")
    @Tag("RPR-5.1.3-1")
    void cancelledCallWhoseReplyComesLaterCostsNothing() throws Exception {
        connect(options(NEVER), options(NEVER));
        var call = new RpcCall(Slow.PROGRAM, 1, 1, _ -> {}, 80_000);
        assertThrows(RpcException.TimedOut.class, () -> client.call(call, Duration.ofMillis(100)));
        assertTrue(slow.begun.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS));
        slow.due.countDown();
        await(() -> server(FetchedCounter.EXPOSED_REPLIES) == 1);
        list(50_000, 4);
        assertEquals(1, client(FetchedCounter.EXPOSED_REPLIES));
        await(() -> server.openWindows() == 0);
        assertEquals(1, server.openConnections());
        list(50_000, 5);
    }

    @Test
    @Tag("RPR-X-3")
    @Tag("RPR-4.1.3-4")
    void aTooLongReplyIsReleasedAndFailsItsCall() throws Exception {
        connect(options(NEVER), options(NEVER.withLongest(10_000)));
        var failure = assertThrows(RpcException.BadReply.class, () -> list(20_000, 1));
        assertTrue(failure.getMessage().contains("20028 bytes"), failure.getMessage());
        await(() -> server.openWindows() == 0);
        list(9000, 2);
        assertEquals(1, client(FetchedCounter.EXPOSED_REPLIES));
    }

    @Test
    @Tag("RPR-4.1.1-2")
    @Tag("RPR-6-1")
    @Tag("RPR-6-2")
    @Tag("RPR-X-1")
    void nothingIsFetchedUnlessBothSidesSupportIt() throws Exception {
        var without =
                RpcRdmaOptions.DEFAULT.withProfile(
                        new Version2Profile(
                                Version2.DEFAULT.withoutTransmissions().withoutFetchedReplies()));
        var outgrown =
                new RpcCall(
                        EchoProgram.PROGRAM,
                        1,
                        EchoProgram.LIST,
                        out -> out.uint32(20_000).uint32(9),
                        100);
        for (var each :
                List.of(List.of(without, options(NEVER)), List.of(options(NEVER), without))) {
            connect(each.getFirst(), each.getLast());
            list(20_000, 1);
            assertEquals(1, client(Counter.REPLY_CHUNKS));
            assertThrows(RpcException.TransportRefused.class, () -> client.call(outgrown, TIMEOUT));
            assertEquals(0, server(FetchedCounter.EXPOSED_REPLIES));
            list(100, 1);
            if (each.getFirst() == without) {
                everythingIsGivenBack();
            }
        }
    }

    @Test
    void worksBesideMessagesInSeveralSends() throws Exception {
        var all =
                RpcRdmaOptions.DEFAULT.withProfile(
                        new Version2Profile(
                                Version2.DEFAULT.withSpeaks1(false).withFetchedReplies(NEVER)));
        connect(all, all);
        for (int size : new int[] {100, 5000, 40_000, 200_000, 3_000_000}) {
            list(size, size);
        }
        assertEquals(0, client(Counter.REPLY_CHUNKS));
        assertTrue(client(FetchedCounter.EXPOSED_REPLIES) > 0);
        assertTrue(server(Version2Counter.CONTINUED_REPLIES) > 0);
    }

    /**
     * Goal: a fetched reply obeys the directions of its request, and the client finds the results.
     */
    @Test
    @Tag("RPR-4.1-4")
    void resultsOfAFetchedReplyLieInTheirTargets() throws Exception {
        var placing =
                RpcRdmaOptions.DEFAULT.withProfile(
                        new Version2Profile(
                                Version2.DEFAULT
                                        .withSpeaks1(false)
                                        .withTransmissions(
                                                Transmissions.DEFAULT.withTransferPolicy(
                                                        TransferPolicy.PLACED))
                                        .withFetchedReplies(NEVER)));
        connect(placing, placing);
        var data = Arena.ofAuto().allocate(60_000);
        EchoProgram.fill(data, 9);
        var target = Arena.ofAuto().allocate(60_000);
        var call =
                new RpcCall(
                        EchoProgram.PROGRAM,
                        1,
                        EchoProgram.REPEAT,
                        out -> out.bulk(data),
                        8 + 60_000,
                        List.of(target));
        // The first reply grants the credits for several Sends.
        client.call(EchoProgram.nullCall(), TIMEOUT).close();
        try (var reply = client.call(call, TIMEOUT)) {
            var result = reply.results().bulk(60_000);
            assertEquals(target.address(), result.address());
            assertEquals(-1, result.mismatch(data));
            assertEquals(-1, reply.results().opaque(60_000).mismatch(data));
            reply.results().finish();
        }
        assertEquals(1, client(Version2Counter.PLACED_ARGUMENTS));
        assertEquals(1, client(Counter.WRITE_CHUNKS));
        assertEquals(1, client(FetchedCounter.EXPOSED_REPLIES));
    }
}
