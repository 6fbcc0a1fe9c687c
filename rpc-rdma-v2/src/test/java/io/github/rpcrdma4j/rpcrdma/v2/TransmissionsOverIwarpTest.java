package io.github.rpcrdma4j.rpcrdma.v2;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpOptions;
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
import io.github.rpcrdma4j.rpcrdma.session.EchoCalls;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.OneBinding;
import io.github.rpcrdma4j.rpcrdma.session.OneVersion;
import io.github.rpcrdma4j.rpcrdma.session.SlowLink;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.TransferPolicy;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.Transmissions;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2Counter;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Goal: messages in several Sends, and bulk data in receives, work over real sockets. */
class TransmissionsOverIwarpTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int[] SIZES = {
        0, 1, 3, 4, 100, 3900, 4000, 4060, 4096, 5000, 5120, 8192, 12_000, 20_001, 30_002, 65_536,
        300_000
    };

    /** Takes bulk data, and answers when the test allows it. */
    private static final class Late extends OneVersion {
        static final int PROGRAM = 0x2000_004a;
        final CountDownLatch answers = new CountDownLatch(1);

        Late() {
            super(PROGRAM, 1);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws XdrException, InterruptedException {
            request.arguments().bulk(1 << 20);
            answers.await();
            return AcceptStatus.SUCCESS;
        }
    }

    private static final UpperLayerBinding LATE =
            new OneBinding(Late.PROGRAM, _ -> new UpperLayerBinding.Eligibility(1, 0));

    private final Late late = new Late();
    private final RdmaProvider provider = new IwarpProvider(IwarpOptions.DEFAULT);
    private RpcRdmaServer server;
    private RpcRdmaClient client;

    private static RpcRdmaOptions options(Transmissions transmissions) {
        return RpcRdmaOptions.DEFAULT.withProfile(
                new Version2Profile(
                        Version2.DEFAULT.withSpeaks1(false).withTransmissions(transmissions)));
    }

    private void open(Transmissions transmissions) throws Exception {
        listen(options(transmissions));
        connect(server.address(), options(transmissions));
    }

    private void listen(RpcRdmaOptions options) throws Exception {
        server =
                Connections.listen(
                        provider,
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        List.of(new EchoProgram(), late),
                        List.of(EchoProgram.BINDING, LATE),
                        options);
    }

    private void connect(InetSocketAddress address, RpcRdmaOptions options) throws Exception {
        client =
                Connections.connect(
                        provider,
                        address,
                        new Credential.None(),
                        List.of(EchoProgram.BINDING, LATE),
                        options);
        assertEquals(2, client.version());
    }

    @AfterEach
    void everythingIsGivenBack() {
        assertEquals(0, client.openWindows());
        client.close();
        server.close();
        assertEquals(0, client.leasedMemory());
        assertEquals(0, server.leasedMemory());
        assertEquals(0, server.statistics().value(Version2Counter.GROUP_ERRORS));
        assertEquals(0, server.statistics().value(Counter.DISCARDED));
    }

    private long value(Counted counter) {
        return client.statistics().value(counter);
    }

    private void callsOf(int size) throws Exception {
        try (var arena = Arena.ofShared()) {
            var data = arena.allocate(size + 8).asSlice(0, size);
            EchoProgram.fill(data, size);
            var target = arena.allocate(size + 8).asSlice(0, size);
            var calls = new EchoCalls(client, TIMEOUT);
            calls.store(data);
            calls.fetch(7, target);
            calls.swap(data, target);
            try (var reply = client.call(EchoProgram.tell(data), TIMEOUT)) {
                assertEquals(EchoProgram.sum(data), reply.results().uint64());
            }
            try (var reply = client.call(EchoProgram.list(size, 9), TIMEOUT)) {
                assertArrayEquals(
                        EchoProgram.pattern(size, 9),
                        reply.results().opaque(size).toArray(ValueLayout.JAVA_BYTE));
            }
            try (var reply = client.call(EchoProgram.join(data, data), TIMEOUT)) {
                assertEquals(EchoProgram.sum(data), reply.results().uint64());
                assertEquals(EchoProgram.sum(data), reply.results().uint64());
            }
        }
    }

    private void callsOfEverySize() throws Exception {
        for (int size : SIZES) {
            callsOf(size);
        }
    }

    @Test
    @Tag("RTR-4.3-6")
    @Tag("RTR-4.3-7")
    void messagesTravelInSeveralSends() throws Exception {
        open(new Transmissions(8, 8, 0, 0, TransferPolicy.CONTINUED));
        callsOfEverySize();
        assertTrue(value(Version2Counter.CONTINUED_CALLS) > 10);
        assertTrue(value(Version2Counter.CONTINUED_REPLIES) > 10);
        assertEquals(0, value(Version2Counter.PLACED_ARGUMENTS));
        assertEquals(
                value(Version2Counter.CONTINUED_REPLIES),
                server.statistics().value(Version2Counter.CONTINUED_REPLIES));
        // Messages that are too long for eight Sends travel by chunks.
        assertTrue(value(Counter.READ_CHUNKS) > 0);
    }

    @Test
    @Tag("RTR-7.2-2")
    @Tag("RTR-7.2-3")
    void bulkDataLiesInReceives() throws Exception {
        open(new Transmissions(4, 4, 2, 8192, TransferPolicy.PLACED));
        callsOfEverySize();
        assertTrue(value(Version2Counter.PLACED_ARGUMENTS) > 10);
        assertTrue(value(Version2Counter.PLACED_RESULTS) > 10);
        assertEquals(
                value(Version2Counter.PLACED_RESULT_BYTES),
                server.statistics().value(Version2Counter.PLACED_RESULT_BYTES));
    }

    @Test
    void smallBulkDataNeedsNoRegistration() throws Exception {
        open(new Transmissions(4, 4, 1, 8192, TransferPolicy.PLACED));
        try (var arena = Arena.ofShared()) {
            var data = arena.allocate(8192);
            EchoProgram.fill(data, 1);
            try (var reply = client.call(EchoProgram.store(1, data), TIMEOUT)) {
                assertEquals(1, reply.results().uint32());
                assertEquals(EchoProgram.sum(data), reply.results().uint64());
            }
        }
        assertEquals(1, value(Version2Counter.PLACED_ARGUMENTS));
        assertEquals(0, value(Version2Counter.CONTINUED_CALLS));
        assertEquals(0, value(Counter.READ_CHUNKS));
    }

    @Test
    @Tag("RTR-4.3-1")
    void theCheapestMethodIsChosen() throws Exception {
        open(Transmissions.DEFAULT);
        callsOfEverySize();
        callsOfEverySize();
        assertTrue(value(Version2Counter.PLACED_ARGUMENTS) > 0);
        assertTrue(value(Counter.READ_CHUNKS) > 0);
        assertTrue(value(Counter.WRITE_CHUNKS) > 0);
    }

    @Test
    @Tag("RTR-4.3-4")
    void manyThreadsShareTheCredits() throws Exception {
        open(new Transmissions(8, 8, 1, 4096, TransferPolicy.PLACED));
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var running =
                    threads.invokeAll(
                            Collections.nCopies(
                                    60,
                                    (Callable<Void>)
                                            () -> {
                                                callsOf(9000);
                                                callsOf(200);
                                                callsOf(30_000);
                                                return null;
                                            }));
            for (var each : running) {
                each.get();
            }
        }
    }

    /** Goal: cancelling a call whose data was sent does not end the connection. */
    @Test
    @Tag("V2-4.2.3-8")
    void callsThatAreGivenUpLeaveTheConnectionAlone() throws Exception {
        open(new Transmissions(8, 8, 1, 8192, TransferPolicy.PLACED));
        try (var arena = Arena.ofShared();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var data = arena.allocate(8192);
            var call = new RpcCall(Late.PROGRAM, 1, 1, out -> out.bulk(data), 0);
            var tasks =
                    Collections.nCopies(
                            20,
                            (Callable<Void>)
                                    () -> {
                                        assertThrows(
                                                RpcException.TimedOut.class,
                                                () -> client.call(call, Duration.ofMillis(50)));
                                        return null;
                                    });
            for (var each : threads.invokeAll(tasks)) {
                each.get();
            }
        }
        assertTrue(value(Version2Counter.PLACED_ARGUMENTS) > 0);
        late.answers.countDown();
        callsOf(5000);
        assertEquals(1, server.statistics().value(Counter.CONNECTIONS_OPENED));
        assertEquals(1, server.openConnections());
    }

    /** Goal: nobody uses the data of a call that its caller has given up, not even a Send. */
    @Test
    @Tag("V2-4.2.3-8")
    void aCallWhoseDataIsStillSentEndsTheConnection() throws Exception {
        // More than the buffers of the sockets take.
        int length = 16 << 20;
        listen(
                options(new Transmissions(1, 1, 1, length, TransferPolicy.PLACED)).toBuilder()
                        .credits(1)
                        .callBackCredits(1)
                        .build());
        try (var link = new SlowLink(server.address());
                var arena = Arena.ofShared()) {
            connect(link.address(), options(new Transmissions(8, 8, 1, 64, TransferPolicy.PLACED)));
            client.call(EchoProgram.nullCall(), TIMEOUT).close();
            link.toServer().drainPermits();
            var data = arena.allocate(length);
            var call = new RpcCall(Late.PROGRAM, 1, 1, out -> out.bulk(data), 0);
            var failure =
                    assertThrows(
                            RpcException.CallGivenUp.class,
                            () -> client.call(call, Duration.ofMillis(50)));
            assertTrue(failure.getMessage().contains("while it still sent its data"));
            assertTrue(value(Version2Counter.PLACED_ARGUMENTS) > 0);
        }
    }
}
