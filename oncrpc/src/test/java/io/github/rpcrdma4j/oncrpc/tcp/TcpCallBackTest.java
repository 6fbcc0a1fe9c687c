package io.github.rpcrdma4j.oncrpc.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.CallOutcome;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.PatternProgram;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: a server calls its client on the connection on which the client calls it. */
class TcpCallBackTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final int PROGRAM = 0x2000_0098;
    private static final int ECHO = 1;
    private static final int RUN = 2;
    private static final long MAX = 1 << 21;

    /** The work of procedure RUN, with a client for calls back. */
    private interface Work {
        void run(RpcClient back) throws Exception;
    }

    /** ECHO sends its argument to the client and returns the answer; RUN runs the test's work. */
    private final class CallingBack implements RpcProgram {
        @Override
        public ProgramId id() {
            return new ProgramId(PROGRAM, 1);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws InterruptedException {
            try {
                reverse.complete(request.reverse().orElseThrow());
                var back = reverse.join().client(new Credential.None());
                if (request.procedure() == ECHO) {
                    var data = request.arguments().opaque(MAX);
                    try (var reply = back.call(PatternProgram.swap(data), DEADLINE)) {
                        results.opaque(reply.results().opaque(MAX));
                    }
                } else if (request.procedure() == RUN) {
                    work.run(back);
                }
                return AcceptStatus.SUCCESS;
            } catch (InterruptedException stopped) {
                throw stopped;
            } catch (Exception failure) {
                failed.complete(failure);
                return AcceptStatus.SYSTEM_ERR;
            }
        }
    }

    private final PatternProgram pattern = new PatternProgram(1, 1);
    private final CompletableFuture<ReverseDirection> reverse = new CompletableFuture<>();
    private final CompletableFuture<Exception> failed = new CompletableFuture<>();
    private Work work = _ -> {};
    private TcpRpcServer server;
    private TcpRpcClient client;

    @BeforeEach
    void listen() throws Exception {
        server =
                TcpRpcServer.listen(
                        new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0),
                        List.of(new CallingBack()),
                        TcpRpcOptions.DEFAULT);
        client = connect(List.of(pattern));
    }

    @AfterEach
    void everythingIsGivenBack() {
        pattern.letGo();
        client.close();
        server.close();
        assertEquals(0, client.leasedMemory());
        assertEquals(0, server.leasedMemory());
        assertEquals(0, server.openConnections());
    }

    private TcpRpcClient connect(Collection<? extends RpcProgram> programs) throws Exception {
        return TcpRpcClient.connect(server.address(), new Credential.None(), programs, DEADLINE);
    }

    private static RpcCall echo(byte[] data) {
        return new RpcCall(PROGRAM, 1, ECHO, out -> out.opaque(data), MAX);
    }

    private void run(Work wanted) throws Exception {
        work = wanted;
        client.call(new RpcCall(PROGRAM, 1, RUN, _ -> {}, 0), DEADLINE).close();
    }

    @Test
    void callsOfBothDirectionsTravelOnOneConnection() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var callers = new ArrayList<Callable<Void>>();
            for (int i = 0; i < 40; i++) {
                byte[] data = new byte[i * 2500];
                new Random(i).nextBytes(data);
                callers.add(
                        () -> {
                            try (var reply = client.call(echo(data), DEADLINE)) {
                                var answer = reply.results().opaque(MAX);
                                assertEquals(-1, answer.mismatch(MemorySegment.ofArray(data)));
                            }
                            return null;
                        });
            }
            for (var each : threads.invokeAll(callers)) {
                each.get();
            }
        }
        assertEquals(1, server.statistics().connectionsOpened());
    }

    @Test
    void aServerLearnsThatItsClientRefusesACall() throws Exception {
        run(
                back -> {
                    var refused =
                            assertThrows(
                                    RpcException.Refused.class,
                                    () -> back.call(echo(new byte[4]), DEADLINE));
                    assertEquals(AcceptStatus.PROG_UNAVAIL, refused.status());
                });
    }

    @Test
    void aServerKeepsManyCallsOutstandingInAPipeline() throws Exception {
        var lengths = new ArrayList<Integer>();
        run(
                back -> {
                    try (var pipeline = back.pipeline()) {
                        for (int length = 0; length < CallBacks.CALLS_MAX; length++) {
                            pipeline.submit(
                                    PatternProgram.fetch(length),
                                    DEADLINE,
                                    collecting(length, lengths));
                        }
                        while (pipeline.outstanding() > 0) {
                            pipeline.poll(DEADLINE);
                        }
                    }
                });
        assertEquals(CallBacks.CALLS_MAX, lengths.size());
    }

    private static CallOutcome collecting(int length, List<Integer> lengths) {
        return new CallOutcome() {
            @Override
            public void succeeded(XdrReader results) {
                lengths.add(length);
            }

            @Override
            public void failed(RpcException failure) {
                throw new AssertionError(failure);
            }
        };
    }

    @Test
    void callsOfTheServerFailWhenTheirConnectionEnds() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var running =
                    threads.submit(
                            () -> {
                                run(back -> back.call(waiting(), DEADLINE).close());
                                return null;
                            });
            pattern.awaitWaiting();
            client.close();
            assertThrows(ExecutionException.class, running::get);
        }
        assertInstanceOf(RpcException.ConnectionLost.class, failed.get());
        assertFalse(reverse.get().isOpen());
        var back = reverse.get().client(new Credential.None());
        assertThrows(
                RpcException.ConnectionLost.class,
                () -> back.call(PatternProgram.nullCall(), DEADLINE));
    }

    private static RpcCall waiting() {
        return PatternProgram.procedure(PatternProgram.WAIT);
    }

    @Test
    void aServerWithTooManyCallsLosesItsConnection() {
        var lost =
                assertThrows(
                        RpcException.ConnectionLost.class,
                        () ->
                                run(
                                        back -> {
                                            try (var pipeline = back.pipeline()) {
                                                for (int i = 0; i <= CallBacks.CALLS_MAX; i++) {
                                                    pipeline.submit(
                                                            waiting(),
                                                            DEADLINE,
                                                            collecting(i, new ArrayList<>()));
                                                }
                                                pipeline.poll(DEADLINE);
                                            }
                                        }));
        assertTrue(lost.getMessage().contains("more than 64 calls"), lost::getMessage);
    }

    @Test
    void aServerWithALongCallLosesItsConnection() {
        var data = MemorySegment.ofArray(new byte[(int) CallBacks.CALL_BYTES_MAX]);
        var lost =
                assertThrows(
                        RpcException.ConnectionLost.class,
                        () -> run(back -> back.call(PatternProgram.store(data), DEADLINE).close()));
        assertTrue(lost.getMessage().contains("more than 1114112 bytes"), lost::getMessage);
    }

    /** Goal: a client without programs answers no call, and goes on. */
    @Test
    void aClientWithoutProgramsDropsCalls() throws Exception {
        client.close();
        client = TcpRpcClient.connect(server.address(), new Credential.None(), DEADLINE);
        run(
                back ->
                        assertThrows(
                                RpcException.TimedOut.class,
                                () -> back.call(PatternProgram.nullCall(), Duration.ofMillis(50))));
        run(_ -> {});
    }
}
