package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpOptions;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.CallOutcome;
import io.github.rpcrdma4j.oncrpc.CallPipeline;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.testing.Eventually;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Goal: a server calls its client back, between real sockets. */
class ReverseOverIwarpTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final RpcRdmaOptions OPTIONS =
            RpcRdmaOptions.DEFAULT.toBuilder().credits(8).callBackCredits(3).build();
    private static final Credential FORWARD = new Credential.None();
    private static final Credential REVERSE = new Credential.Sys(0, "server", 17, 18, List.of());

    /**
     * The program of the server.
     *
     * <pre>
     *   0 ENLIST  the test may call back from now on
     *   1 ASK     calls back before it returns  ->  the sum that came back
     *   2 HURRY   the same, on the thread that reads the connection
     * </pre>
     */
    private static final class Notifier extends OneVersion {
        static final int PROGRAM = 0x2000_0043;
        static final int ENLIST = 0;
        static final int ASK = 1;
        static final int HURRY = 2;

        final BlockingQueue<ReverseDirection> enlisted = new LinkedBlockingQueue<>();
        final BlockingQueue<RuntimeException> hurried = new LinkedBlockingQueue<>();

        Notifier() {
            super(PROGRAM, 1);
        }

        @Override
        public ProcedureDescriptor procedure(int version, int procedure) {
            return procedure == HURRY
                    ? ProcedureDescriptor.NULL
                    : ProcedureDescriptor.ORDINARY.withRepeatable(true);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws XdrException, InterruptedException {
            request.arguments().finish();
            var reverse = request.reverse().orElseThrow();
            if (request.procedure() == ENLIST) {
                enlisted.add(reverse);
                return AcceptStatus.SUCCESS;
            }
            try (var back = reverse.client(REVERSE);
                    var reply = back.call(tell(), TIMEOUT)) {
                results.uint64(reply.results().uint64());
                return AcceptStatus.SUCCESS;
            } catch (RpcException failure) {
                return AcceptStatus.SYSTEM_ERR;
            } catch (IllegalStateException mistake) {
                hurried.add(mistake);
                return AcceptStatus.SYSTEM_ERR;
            }
        }

        static RpcCall call(int procedure) {
            return new RpcCall(PROGRAM, 1, procedure, _ -> {}, 8);
        }
    }

    /**
     * The program of the client: returns the uid of its caller, waits forever, or calls the server,
     * with or without waiting for the reply.
     */
    private final class Listener extends OneVersion {
        static final int PROGRAM = 0x2000_0044;
        static final int WHO = 0;
        static final int WAIT = 1;
        static final int RELAY = 2;
        static final int START = 3;

        Listener() {
            super(PROGRAM, 1);
        }

        @Override
        public ProcedureDescriptor procedure(int version, int procedure) {
            return procedure == WHO
                    ? ProcedureDescriptor.NULL
                    : ProcedureDescriptor.ORDINARY.withRepeatable(true);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws InterruptedException {
            if (request.procedure() == WAIT) {
                new LinkedBlockingQueue<Void>().take();
            }
            if (request.procedure() == RELAY) {
                try {
                    client.call(EchoProgram.nullCall(), TIMEOUT).close();
                } catch (RpcException failure) {
                    return AcceptStatus.SYSTEM_ERR;
                }
            }
            if (request.procedure() == START) {
                try {
                    pipeline = client.pipeline();
                    pipeline.submit(EchoProgram.nullCall(), TIMEOUT, started);
                } catch (RpcException failure) {
                    return AcceptStatus.SYSTEM_ERR;
                }
            }
            results.uint32(request.credential() instanceof Credential.Sys sys ? sys.uid() : -1);
            return AcceptStatus.SUCCESS;
        }

        static RpcCall call(int procedure) {
            return new RpcCall(PROGRAM, 1, procedure, _ -> {}, 4);
        }
    }

    /** Counts the calls that succeeded. */
    private static final class Outcomes implements CallOutcome {
        final AtomicInteger succeeded = new AtomicInteger();

        @Override
        public void succeeded(XdrReader results) {
            succeeded.incrementAndGet();
        }

        @Override
        public void failed(RpcException reason) {
            throw new AssertionError(reason);
        }
    }

    private final RdmaProvider provider = new IwarpProvider(IwarpOptions.DEFAULT);
    private final Notifier notifier = new Notifier();
    private final Outcomes started = new Outcomes();

    /** The pipeline of a START call; the test uses it only after that call has returned. */
    private volatile CallPipeline pipeline;

    private RpcRdmaServer server;
    private RpcRdmaClient client;

    private static MemorySegment words() {
        return MemorySegment.ofArray(EchoProgram.pattern(801, 4));
    }

    private static RpcCall tell() {
        return EchoProgram.tell(words());
    }

    @BeforeEach
    void connect() throws Exception {
        server =
                Connections.listen(
                        provider,
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        List.of(new EchoProgram(), notifier),
                        List.of(EchoProgram.BINDING),
                        OPTIONS);
        client = connectClient();
    }

    private RpcRdmaClient connectClient() throws Exception {
        return Connections.connect(
                provider,
                server.address(),
                FORWARD,
                List.of(EchoProgram.BINDING),
                new RpcDispatcher(List.of(new EchoProgram(), new Listener())),
                OPTIONS);
    }

    @AfterEach
    void checkNothingLeaks() {
        assertEquals(0, client.openWindows());
        client.close();
        server.close();
        assertEquals(0, server.leasedMemory());
        assertEquals(0, server.openConnections());
        // Closing a client interrupts the calls that it serves, and does not wait for them.
        assertTimeoutPreemptively(
                TIMEOUT,
                () -> {
                    Eventually.await(() -> client.leasedMemory() == 0);
                });
    }

    private ReverseDirection enlist(RpcRdmaClient caller) throws Exception {
        caller.call(Notifier.call(Notifier.ENLIST), TIMEOUT).close();
        return notifier.enlisted.take();
    }

    private static int who(RpcClient back) throws Exception {
        try (var reply = back.call(Listener.call(Listener.WHO), TIMEOUT)) {
            return reply.results().uint32();
        }
    }

    @Test
    @Tag("8167-2-1")
    @Tag("8167-8-1")
    void callsAClientBackOnItsOwnConnectionAndUnderAnotherName() throws Exception {
        try (var back = enlist(client).client(REVERSE)) {
            assertEquals(17, who(back));
        }
        // Closing the reverse client leaves the connection open.
        client.call(EchoProgram.nullCall(), TIMEOUT).close();
        assertEquals(1, server.openConnections());
        assertEquals(1, server.reverseStatistics().value(Counter.REPLIES));
        assertEquals(1, client.reverseStatistics().value(Counter.CALLS));
        assertEquals(2, client.statistics().value(Counter.CALLS));
    }

    @Test
    @Tag("8167-6-1")
    void callsNoClientBackThatIsNotReady() throws Exception {
        for (int i = 0; i < 100; i++) {
            client.call(EchoProgram.nullCall(), TIMEOUT).close();
        }
        assertEquals(0, server.reverseStatistics().value(Counter.CALLS));
        assertEquals(0, client.reverseStatistics().value(Counter.CALLS));
        try (var back = enlist(client).client(REVERSE)) {
            assertEquals(0, client.reverseStatistics().value(Counter.CALLS));
            assertEquals(17, who(back));
        }
        assertEquals(1, client.reverseStatistics().value(Counter.CALLS));
    }

    @Test
    @Tag("8167-5.4-2")
    void answersWhileItsOwnCallersAreSilent() throws Exception {
        var back = enlist(client).client(REVERSE);
        for (int i = 0; i < 200; i++) {
            assertEquals(17, who(back));
        }
        assertEquals(1, client.statistics().value(Counter.CALLS));
    }

    @Test
    void callsBackFromWithinACall() throws Exception {
        try (var reply = client.call(Notifier.call(Notifier.ASK), TIMEOUT)) {
            assertEquals(EchoProgram.sum(words()), reply.results().uint64());
        }
    }

    @Test
    void callsTheServerFromWithinACallOfTheServer() throws Exception {
        var back = enlist(client).client(REVERSE);
        for (int i = 0; i < 50; i++) {
            back.call(Listener.call(Listener.RELAY), TIMEOUT).close();
        }
        assertEquals(1 + 50, client.statistics().value(Counter.REPLIES));
    }

    /** Goal: the reply of a program does not wait for pipelined calls that are not posted yet. */
    @Test
    void answersAlthoughACallWasStartedMeanwhile() throws Exception {
        var back = enlist(client).client(REVERSE);
        back.call(Listener.call(Listener.START), TIMEOUT).close();
        assertTrue(pipeline.poll(TIMEOUT));
        pipeline.close();
        assertEquals(1, started.succeeded.get());
    }

    @Test
    void refusesToWaitOnTheThreadThatReads() throws Exception {
        assertThrows(
                RpcException.Refused.class,
                () -> client.call(Notifier.call(Notifier.HURRY), TIMEOUT));
        assertEquals(1, notifier.hurried.size());
    }

    @Test
    @Tag("8167-4.3.1-1")
    @Tag("8167-4.3.1-2")
    void postsReceivesForBothDirectionsOnEveryConnection() throws Exception {
        int receives = OPTIONS.credits() + OPTIONS.callBackCredits();
        assertEquals(receives, client.leasedMemory());
        enlist(client).client(REVERSE).close();
        client.close();
        client = connectClient();
        assertEquals(receives, client.leasedMemory());
        assertEquals(17, who(enlist(client).client(REVERSE)));
    }

    @Test
    void refusesAProgramThatTheClientDoesNotServe() throws Exception {
        var back = enlist(client).client(REVERSE);
        var refused =
                assertThrows(
                        RpcException.Refused.class,
                        () -> back.call(Notifier.call(Notifier.ASK), TIMEOUT));
        assertEquals(AcceptStatus.PROG_UNAVAIL, refused.status());
    }

    @Test
    @Tag("8167-5.3-3")
    @Tag("8167-7-1")
    void keepsBulkDataOfReverseCallsInline() throws Exception {
        var back = enlist(client).client(REVERSE);
        try (var reply = back.call(EchoProgram.store(1, words()), TIMEOUT)) {
            reply.results().uint32();
            assertEquals(EchoProgram.sum(words()), reply.results().uint64());
        }
        var data = MemorySegment.ofArray(new byte[4096]);
        assertThrows(
                IllegalArgumentException.class,
                () -> back.call(EchoProgram.store(1, data), TIMEOUT));
        assertThrows(
                IllegalArgumentException.class,
                () -> back.call(EchoProgram.fetch(4096, 1, data), TIMEOUT));
        assertEquals(0, server.reverseStatistics().value(Counter.READ_CHUNKS));
    }

    @Test
    void carriesManyCallsBothWaysAtOnce() throws Exception {
        var back = enlist(client).client(REVERSE);
        var work = new ArrayList<Callable<Void>>();
        for (int i = 0; i < 20; i++) {
            work.add(() -> storeAll(client, 30_000));
            work.add(() -> storeAll(back, 3000));
            work.add(() -> ask(client));
        }
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var done : threads.invokeAll(work)) {
                done.get();
            }
        }
        assertEquals(20 * 20 + 20, server.reverseStatistics().value(Counter.REPLIES));
        assertEquals(0, server.openWindows());
    }

    private static Void storeAll(RpcClient by, int size) throws Exception {
        var data = Arena.ofAuto().allocate(size);
        for (int round = 0; round < 20; round++) {
            EchoProgram.fill(data, round);
            try (var reply = by.call(EchoProgram.store(round, data), TIMEOUT)) {
                assertEquals(round, reply.results().uint32());
                assertEquals(EchoProgram.sum(data), reply.results().uint64());
            }
        }
        return null;
    }

    private static Void ask(RpcClient by) throws Exception {
        try (var reply = by.call(Notifier.call(Notifier.ASK), TIMEOUT)) {
            assertEquals(EchoProgram.sum(words()), reply.results().uint64());
        }
        return null;
    }

    @Test
    void givesUpAtTheDeadlineAndKeepsTheConnection() throws Exception {
        var back = enlist(client).client(REVERSE);
        assertThrows(
                RpcException.TimedOut.class,
                () -> back.call(Listener.call(Listener.WAIT), Duration.ofMillis(20)));
        client.call(EchoProgram.nullCall(), TIMEOUT).close();
    }

    @Test
    @Tag("8167-5.4-1")
    void failsWhenTheConnectionIsLost() throws Exception {
        var reverse = enlist(client);
        var back = reverse.client(REVERSE);
        assertTrue(back.takesOneCallAtFirst());
        assertEquals(17, who(back));
        assertTrue(reverse.isOpen());
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var waiting =
                    threads.submit(
                            () ->
                                    assertThrows(
                                            RpcException.ConnectionLost.class,
                                            () ->
                                                    back.call(
                                                            Listener.call(Listener.WAIT),
                                                            TIMEOUT)));
            Eventually.await(() -> client.reverseStatistics().value(Counter.CALLS) >= 2);
            client.close();
            waiting.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        }
        assertFalse(reverse.isOpen());
        assertThrows(RpcException.ConnectionLost.class, () -> who(back));
    }
}
