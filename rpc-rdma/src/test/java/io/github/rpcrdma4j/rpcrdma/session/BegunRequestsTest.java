package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.oncrpc.spi.ReplyReceiver;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.testing.Eventually;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a call of a client for which no thread waits ends once, on the thread that listens. Method:
 * a server that answers some calls when the test says so.
 */
@Timeout(60)
class BegunRequestsTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final CallProtection NONE = CallProtection.of(new Credential.None());
    private static final int PROGRAM = 0x2000_0059;

    /** The procedure that returns its argument. */
    private static final int ECHOES = 1;

    /** The procedure that does so when the test lets it. */
    private static final int WAITS = 2;

    private static final int CALLS = 200;

    private final RdmaProvider provider = new IwarpProvider();
    private final Semaphore answers = new Semaphore(0);

    /** The calls that began, all of which end with the client at the latest. */
    private final List<Outcome> begun = new ArrayList<>();

    private RpcRdmaServer server;
    private RpcRdmaClient client;

    /** The outcome of one call. */
    private static class Outcome implements ReplyReceiver {
        private final CompletableFuture<Integer> result = new CompletableFuture<>();
        private final AtomicInteger ends = new AtomicInteger();
        private volatile Thread thread;

        @Override
        public void replied(RpcReply reply) {
            ends.incrementAndGet();
            thread = Thread.currentThread();
            try (reply) {
                result.complete(reply.results().uint32());
            } catch (XdrException malformed) {
                result.completeExceptionally(malformed);
            }
        }

        @Override
        public void failed(RpcException reason) {
            ends.incrementAndGet();
            result.completeExceptionally(reason);
        }

        int await() throws Exception {
            return result.get(LONG.toSeconds(), TimeUnit.SECONDS);
        }

        Throwable failure() {
            return assertThrows(ExecutionException.class, this::await).getCause();
        }
    }

    /** Answers calls with their argument. */
    private final class Echo implements RpcProgram {
        @Override
        public ProgramId id() {
            return new ProgramId(PROGRAM, 1, 1);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws XdrException, InterruptedException {
            if (request.procedure() == WAITS) {
                answers.acquire();
            }
            if (request.procedure() != 0) {
                results.uint32(request.arguments().uint32());
            }
            return AcceptStatus.SUCCESS;
        }
    }

    @BeforeEach
    void connect() throws Exception {
        server =
                RpcRdmaServer.builder()
                        .provider(provider)
                        .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .program(new Echo())
                        .start();
        client =
                RpcRdmaClient.builder()
                        .provider(provider)
                        .callBacks(new RpcDispatcher(List.of()))
                        .connect(server.address());
        // The first reply grants the credits for several calls.
        client.ping(PROGRAM, 1, LONG);
    }

    @AfterEach
    void everythingIsGivenBack() {
        answers.release(CALLS);
        client.close();
        server.close();
        for (var each : begun) {
            each.result.handle((_, _) -> 0).join();
            assertEquals(1, each.ends.get());
        }
        assertEquals(0, server.leasedMemory());
    }

    private static RpcCall call(int procedure, int argument) {
        return new RpcCall(PROGRAM, 1, procedure, out -> out.uint32(argument), Integer.BYTES);
    }

    /** Begins a call. It repeats that while the listening thread has the lock. */
    private Outcome begin(RpcCall call, Duration timeout) {
        var outcome = new Outcome();
        Eventually.await(() -> client.begin(call, NONE, timeout, outcome));
        begun.add(outcome);
        return outcome;
    }

    @Test
    void repliesReachTheReceiversOnOneThread() throws Exception {
        assertTrue(client.begins());
        var slow = begin(call(WAITS, -1), LONG);
        Thread thread = null;
        for (int i = 0; i < CALLS; i++) {
            var call = begin(call(ECHOES, i), LONG);
            assertEquals(i, call.await());
            assertTrue(thread == null || thread == call.thread);
            thread = call.thread;
        }
        assertFalse(slow.result.isDone());
        answers.release();
        assertEquals(-1, slow.await());
        assertEquals(thread, slow.thread);
    }

    /** Goal: threads that wait for calls of their own take no begun call's outcome. */
    @Test
    void callsOfThreadsAndBegunCallsShareTheConnection() throws Exception {
        var threads = new ArrayList<CompletableFuture<Integer>>();
        var calls = new ArrayList<Outcome>();
        for (int i = 0; i < CALLS; i++) {
            threads.add(client.callAsync(call(ECHOES, -i), LONG, XdrReader::uint32));
            calls.add(begin(call(ECHOES, i), LONG));
        }
        for (int i = 0; i < CALLS; i++) {
            assertEquals(-i, threads.get(i).get());
            assertEquals(i, calls.get(i).await());
        }
    }

    @Test
    void aLateCallEndsAndOthersGoOn() throws Exception {
        // The thread that listens has a later deadline to watch at first.
        var patient = begin(call(WAITS, 1), LONG);
        var late = begin(call(WAITS, 2), SHORT);
        assertInstanceOf(RpcException.TimedOut.class, late.failure());
        answers.release(2);
        assertEquals(1, patient.await());
        assertEquals(3, begin(call(ECHOES, 3), LONG).await());
    }

    @Test
    void theEndOfTheConnectionReachesTheReceivers() throws Exception {
        var first = begin(call(WAITS, 1), LONG);
        var second = begin(call(WAITS, 2), LONG);
        server.close();
        assertInstanceOf(RpcException.ConnectionLost.class, first.failure());
        assertInstanceOf(RpcException.ConnectionLost.class, second.failure());
        assertFalse(client.begin(call(ECHOES, 3), NONE, LONG, new Outcome()));
    }

    @Test
    void closingTheClientEndsItsCalls() throws Exception {
        var call = begin(call(WAITS, 1), LONG);
        client.close();
        assertInstanceOf(RpcException.ConnectionLost.class, call.failure());
    }

    @Test
    void aCallWithAnXidInUseDoesNotBegin() throws Exception {
        var first = begin(call(WAITS, 1).withXid(77), LONG);
        assertThrows(IllegalArgumentException.class, () -> begin(call(WAITS, 2).withXid(77), LONG));
        answers.release();
        assertEquals(1, first.await());
    }

    /** Goal: a bug of one receiver ends the connection, and takes the end from no other call. */
    @Test
    void aReceiverThatThrowsEndsTheConnection() throws Exception {
        var other = begin(call(WAITS, 1), LONG);
        var broken =
                new Outcome() {
                    @Override
                    public void replied(RpcReply reply) {
                        super.replied(reply);
                        throw new IllegalStateException("a receiver with a bug");
                    }
                };
        Eventually.await(() -> client.begin(call(ECHOES, 2), NONE, LONG, broken));
        assertEquals(2, broken.await());
        assertInstanceOf(RpcException.class, other.failure());
    }

    /** Goal: a reply whose results cannot be read because of a bug still ends its call. */
    @Test
    void aProtectionThatThrowsEndsItsCall() throws Exception {
        var broken =
                new CallProtection() {
                    @Override
                    public RawAuth credential() {
                        return NONE.credential();
                    }

                    @Override
                    public XdrReader results(XdrReader reply, RpcCall call, int xid) {
                        throw new IllegalStateException("a protection with a bug");
                    }
                };
        var outcome = new Outcome();
        Eventually.await(() -> client.begin(call(ECHOES, 1), broken, LONG, outcome));
        begun.add(outcome);
        assertInstanceOf(RpcException.class, outcome.failure());
    }

    /** Goal: without a thread that listens, no call begins. */
    @Test
    void aClientWithoutCallBacksBeginsNoCalls() throws Exception {
        try (var plain = RpcRdmaClient.builder().provider(provider).connect(server.address())) {
            assertFalse(plain.begins());
            assertFalse(plain.begin(call(ECHOES, 1), NONE, LONG, new Outcome()));
        }
    }
}
