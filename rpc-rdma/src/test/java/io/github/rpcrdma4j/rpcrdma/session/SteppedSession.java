package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.CallOutcome;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.binding.Bindings;
import io.github.rpcrdma4j.rpcrdma.options.PeerLimits;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.sim.SimOptions;
import io.github.rpcrdma4j.sim.SimWorld;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * A real server and its clients, on threads that run one step at a time in a random order. The seed
 * determines the order and the events: leaders and followers, relieved pollers, pipelines,
 * interrupts, closing during calls, lost connections and failed posts. At the end every call had
 * one outcome, payloads were exact, all threads have ended, and no resource is left.
 */
final class SteppedSession {
    private static final int SIZE_MAX = 9000;
    private static final int CALL_BYTES_MAX = 10_000;
    private static final int PER_MILLION_LOST = 2000;
    private static final int PER_MILLION_FAILED_POSTS = 10_000;
    private static final Duration LONG = Duration.ofSeconds(5);

    /** The timeout of a call that hangs beside other calls of its connection. */
    private static final Duration HUNG = Duration.ofSeconds(3);

    /** The longest wait of any other call: it must not wait for a hanging call or the patrol. */
    private static final long WAIT_NANOS_MAX = Duration.ofMillis(300).toNanos();

    /** After this time without calls, the relieving thread of a server sleeps. */
    private static final long UNTIL_ALL_SLEEP_NANOS = Duration.ofMillis(200).toNanos();

    /** The longest time to stop a server, which interrupts its calls in progress. */
    private static final long STOP_NANOS_MAX = Duration.ofSeconds(2).toNanos();

    private static final RpcDispatcher CALLED_BACK =
            new RpcDispatcher(List.of(new CallbackProgram()));
    private static final CallProtection NONE = CallProtection.of(new Credential.None());

    private final SimWorld world;
    private final SteppedThreads threads;
    private final RandomGenerator random;
    private final RpcRdmaOptions options;
    private final boolean faulty;

    /** Whether calls wait for memory of each other, and a connection may find none. */
    private final boolean isTight;

    private final SegmentPool serverPool = new SegmentPool(64 << 20);
    private final SteppedProgram program;
    private final List<ClientConnection> connections = new ArrayList<>();
    private ServerThreads server;
    private InetSocketAddress address;
    private boolean isClosing;
    private int calls;
    private int outcomes;

    /**
     * @param isTight whether the server has hardly enough memory for the calls of one client
     */
    SteppedSession(long seed, boolean isTight) {
        this.isTight = isTight;
        boolean isLossy = (seed & 1) == 0;
        boolean failsToPost = seed % 5 == 0;
        faulty = isLossy || failsToPost;
        world =
                new SimWorld(
                        seed,
                        SimOptions.CALM
                                .withScribbles()
                                .withLossPerMillion(isLossy ? PER_MILLION_LOST : 0)
                                .withFailedPostsPerMillion(
                                        failsToPost ? PER_MILLION_FAILED_POSTS : 0));
        random = world.random();
        threads = new SteppedThreads(world, 1 + random.nextInt(2));
        program = new SteppedProgram(world, threads);
        var drawn =
                RpcRdmaOptions.DEFAULT.toBuilder()
                        .credits(1 + random.nextInt(6))
                        .inlineSend(1024 * (1 + random.nextInt(4)))
                        .inlineReceive(1024 * (1 + random.nextInt(4)))
                        .remoteInvalidation(random.nextBoolean())
                        .idleProbe(Duration.ofMillis(random.nextInt(4) == 0 ? 3 : 0))
                        .build();
        options = isTight ? tight(drawn) : drawn;
    }

    /** Returns options with memory for one connection and one largest call, and little more. */
    private RpcRdmaOptions tight(RpcRdmaOptions of) {
        var usual = of.peerLimits();
        return new RpcRdmaOptions(
                of.credits(),
                of.callBackCredits(),
                of.inlineSend(),
                of.inlineReceive(),
                of.remoteInvalidation(),
                of.segmentMax(),
                CALL_BYTES_MAX,
                CALL_BYTES_MAX,
                of.connectionsMax(),
                of.connectTimeout(),
                new PeerLimits(
                        usual.connectionsMax(),
                        usual.callsMax(),
                        2 * CALL_BYTES_MAX + of.sizes().receiveMemory() + random.nextInt(6000),
                        usual.sendTimeout(),
                        usual.readTimeout()),
                of.idleTimeout(),
                of.keepAlive(),
                of.idleProbe(),
                of.profile());
    }

    SteppedSession tracing() {
        world.trace(System.out::println);
        return this;
    }

    /** Returns how many calls to clients were answered. */
    int callsBack() {
        return program.answers();
    }

    /** Returns how many posts the simulation made fail. */
    int failedPosts() {
        return world.failedPosts();
    }

    void run() {
        threads.run("main", this::serveClients);
        assertEquals(calls, outcomes, "outcomes of calls");
        world.settle();
        assertEquals(0, server.openWindows());
        assertEquals(0, server.callsInProgress());
        assertEquals(0, server.openConnections());
        assertEquals(0, server.leasedMemory());
        for (var connection : connections) {
            assertEquals(0, connection.openWindows());
            assertEquals(0, connection.leasedMemory());
        }
        assertEquals(0, world.openQueuePairs());
        assertEquals(0, world.openCompletionQueues());
    }

    private void serveClients() {
        listen();
        var clients = new ArrayList<Thread>();
        for (int i = 0; i <= random.nextInt(3); i++) {
            clients.add(threads.unstarted("client-" + i, this::beClient));
        }
        if (random.nextInt(3) == 0) {
            clients.add(threads.unstarted("client-that-hangs", this::beClientThatHangs));
        }
        clients.forEach(Thread::start);
        if (random.nextInt(4) == 0) {
            sleep(random.nextLong(3_000_000));
        } else {
            clients.forEach(CallThreads::awaitEnd);
        }
        isClosing = true;
        long start = world.nanoTime();
        server.close();
        long taken = world.nanoTime() - start;
        assertEquals(0, program.running(), "calls after the server has stopped");
        assertTrue(taken < STOP_NANOS_MAX, () -> "the server stopped after " + taken + " ns");
        clients.forEach(CallThreads::awaitEnd);
    }

    private void listen() {
        Listener listener;
        try {
            listener =
                    world.provider()
                            .listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        } catch (RdmaException impossible) {
            throw new AssertionError(impossible);
        }
        address = listener.address();
        server =
                new ServerThreads(
                        threads,
                        world.provider(),
                        List.of(listener),
                        new RpcDispatcher(List.of(program)),
                        new Bindings(List.of(EchoProgram.BINDING)),
                        options,
                        serverPool,
                        ServerThreads.POLLERS_MAX);
        server.start();
    }

    private void beClientThatHangs() {
        var connection = connect();
        if (connection.isPresent()) {
            hang(connection.get(), Duration.ofMillis(random.nextInt(20)));
            connection.get().close();
        }
    }

    /** Makes a call that hangs, and checks that it ends by its timeout. */
    private void hang(ClientConnection connection, Duration timeout) {
        var call = new RpcCall(EchoProgram.PROGRAM, 1, SteppedProgram.HANG, _ -> {}, 0);
        // The NULL call gets more credits: the hanging call would keep the first one.
        try (var _ = connection.call(EchoProgram.nullCall(), NONE, LONG);
                var _ = connection.call(call, NONE, timeout)) {
            throw new AssertionError("it did not hang");
        } catch (RpcException reason) {
            checkReason(reason, timeout);
        } catch (InterruptedException _) {
            // The client interrupted this thread.
        }
    }

    private Optional<ClientConnection> connect() {
        ClientConnection connection;
        try {
            connection =
                    ClientConnection.open(
                            threads,
                            world.provider(),
                            CalledServer.of(address),
                            NONE,
                            List.of(EchoProgram.BINDING),
                            random.nextInt(3) == 0 ? Optional.of(CALLED_BACK) : Optional.empty(),
                            options);
        } catch (RpcException reason) {
            assertTrue(faulty || isTight || isClosing, reason::toString);
            return Optional.empty();
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
        connections.add(connection);
        return Optional.of(connection);
    }

    private void beClient() {
        var connected = connect();
        if (connected.isEmpty()) {
            return;
        }
        var connection = connected.get();
        if (random.nextInt(6) == 0) {
            sleep(UNTIL_ALL_SLEEP_NANOS);
        }
        var callers = new ArrayList<Thread>();
        for (int i = 0; i <= random.nextInt(4); i++) {
            boolean flies = random.nextInt(3) == 0;
            Runnable work = flies ? () -> fly(connection) : () -> call(connection);
            callers.add(threads.unstarted("caller-" + i, work));
        }
        // Probes need one credit, and the hanging call keeps another.
        if (random.nextInt(6) == 0 && options.credits() > 2) {
            callers.add(threads.unstarted("caller-that-hangs", () -> hang(connection, HUNG)));
        }
        callers.forEach(Thread::start);
        if (random.nextInt(5) == 0) {
            sleep(random.nextLong(2_000_000));
            callers.get(random.nextInt(callers.size())).interrupt();
        }
        if (random.nextInt(5) == 0) {
            sleep(random.nextLong(2_000_000));
            connection.close();
        }
        callers.forEach(CallThreads::awaitEnd);
        connection.close();
    }

    private Duration timeout() {
        return random.nextInt(8) == 0 ? Duration.ofNanos(random.nextLong(2_000_000)) : LONG;
    }

    /** Makes calls, one after the other. */
    private void call(ClientConnection connection) {
        for (int i = 0; i <= random.nextInt(8); i++) {
            var drawn = RandomCall.any(random, SIZE_MAX);
            var timeout = timeout();
            long start = world.nanoTime();
            calls++;
            try (var reply = connection.call(drawn.call(), NONE, timeout)) {
                drawn.check().check(reply.results());
            } catch (RpcException.Refused _) {
                assertTrue(drawn.refused());
            } catch (RpcException reason) {
                checkReason(reason, timeout);
            } catch (InterruptedException _) {
                // The client interrupted this thread.
            } catch (Exception wrong) {
                throw new AssertionError(wrong);
            } finally {
                outcomes++;
                checkWait(start);
            }
        }
    }

    private void checkWait(long start) {
        long waited = world.nanoTime() - start;
        assertTrue(waited < WAIT_NANOS_MAX, () -> "a call took " + waited + " ns");
    }

    private static void checkReason(RpcException reason, Duration timeout) {
        switch (reason) {
            case RpcException.ConnectionLost _ -> {}
            // A call reaches the LONG timeout only if its thread missed a wakeup.
            case RpcException.TimedOut _ when timeout != LONG -> {}
            default -> throw new AssertionError(reason);
        }
    }

    /** Keeps calls in a pipeline, and waits for their outcomes or closes it before. */
    private void fly(ClientConnection connection) {
        int started = 0;
        var told = new int[1];
        try (var pipeline = connection.pipeline(NONE)) {
            for (int i = 0; i <= random.nextInt(8); i++) {
                var drawn = RandomCall.any(random, SIZE_MAX);
                var timeout = timeout();
                pipeline.submit(drawn.call(), timeout, new Told(drawn, timeout, told));
                started++;
                if (random.nextInt(3) == 0) {
                    pipeline.poll(Duration.ofNanos(random.nextLong(500_000)));
                }
            }
            boolean leaves = random.nextInt(5) == 0;
            while (!leaves && told[0] < started) {
                long start = world.nanoTime();
                pipeline.poll(random.nextBoolean() ? LONG : Duration.ofMillis(1));
                checkWait(start);
            }
            assertTrue(leaves || told[0] == started, "an outcome was told twice");
        } catch (RpcException impossible) {
            throw new AssertionError(impossible);
        } catch (InterruptedException _) {
            // The client interrupted this thread.
        }
        assertTrue(told[0] <= started, "an outcome was told twice");
        sleep(random.nextLong(100_000));
        assertTrue(told[0] <= started, "an outcome was told after the pipeline was closed");
    }

    /** Counts the outcome of a call, and checks it. */
    private record Told(RandomCall drawn, Duration timeout, int[] count) implements CallOutcome {
        @Override
        public void succeeded(XdrReader results) throws XdrException {
            count[0]++;
            try {
                drawn.check().check(results);
            } catch (Exception wrong) {
                throw new AssertionError(wrong);
            }
        }

        @Override
        public void failed(RpcException reason) {
            count[0]++;
            if (reason instanceof RpcException.Refused) {
                assertTrue(drawn.refused());
            } else {
                checkReason(reason, timeout);
            }
        }
    }

    private void sleep(long nanos) {
        boolean interrupted = Thread.interrupted();
        long end = world.nanoTime() + nanos;
        while (world.nanoTime() < end) {
            threads.park(this, end - world.nanoTime());
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
