package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.binding.Bindings;
import io.github.rpcrdma4j.rpcrdma.binding.UpperLayerBinding;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.Terms;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.metrics.Statistics;
import io.github.rpcrdma4j.rpcrdma.options.Rfc5666;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.responder.Allowance;
import io.github.rpcrdma4j.rpcrdma.responder.Guard;
import io.github.rpcrdma4j.rpcrdma.responder.Responder;
import io.github.rpcrdma4j.rpcrdma.responder.ServedCall;
import io.github.rpcrdma4j.rpcrdma.wire.Alignment;
import io.github.rpcrdma4j.rpcrdma.wire.Edition;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeaderCodec;
import io.github.rpcrdma4j.sim.SimOptions;
import io.github.rpcrdma4j.sim.SimWorld;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * A requester and a responder in one world, with calls, sizes, options, delays and faults drawn
 * from the seed. At the end payloads are exact, every call had one outcome, and nothing is left.
 */
final class SimulatedConnection {
    private static final int CALLS_MAX = 14;
    private static final int SIZE_MAX = 9000;
    private static final int READS = 4;
    private static final int PER_MILLION_LOST = 8000;

    /** How a client behaves. */
    enum Manner {
        /** As by RFC 8166. */
        OF_TODAY(Edition.RFC_8166),
        /** As by RFC 5666. */
        DONE(Edition.RFC_5666),
        /** The same, but its RDMA_DONE are about calls that nobody made. */
        NEVER_DONE(Edition.RFC_5666);

        private final Edition edition;

        Manner(Edition edition) {
            this.edition = edition;
        }
    }

    private final SimWorld world;
    private final Manner manner;
    private final boolean faulty;
    private final RandomGenerator random;
    private final RpcRdmaOptions options;
    private final SegmentPool clientPool = new SegmentPool(1 << 24);
    private final SegmentPool serverPool = new SegmentPool(1 << 24);
    private final Statistics statistics = new Statistics();
    private final RpcDispatcher dispatcher = new RpcDispatcher(List.of(new EchoProgram()));
    private final UpperLayerBinding binding;
    private final Bindings bindings;

    private final ProtectionDomain clientDomain;
    private final ProtectionDomain serverDomain;
    private final CompletionQueue clientQueue;
    private final CompletionQueue serverQueue;
    private Endpoint clientEnd;
    private Endpoint serverEnd;
    private SimulatedCaller caller;
    private Responder responder;
    private Terms terms;

    SimulatedConnection(long seed, Manner manner) {
        this.manner = manner;
        faulty = (seed & 1) == 0;
        world =
                new SimWorld(
                        seed,
                        SimOptions.CALM
                                .withScribbles()
                                .withLossPerMillion(faulty ? PER_MILLION_LOST : 0));
        random = world.random();
        binding =
                switch (manner.edition) {
                    case RFC_8166 -> EchoProgram.BINDING;
                    case RFC_5666 -> EchoProgram.FETCHED;
                };
        bindings = new Bindings(List.of(binding));
        var drawn =
                RpcRdmaOptions.DEFAULT
                        .withCredits(1 + random.nextInt(6))
                        .withInline(1024 * (1 + random.nextInt(6)), 1024 * (1 + random.nextInt(6)))
                        .withRemoteInvalidation(random.nextBoolean())
                        .withSegmentMax(
                                random.nextBoolean() ? 1 << 20 : 700 + random.nextInt(9000));
        options =
                switch (manner.edition) {
                    case RFC_8166 -> drawn;
                    case RFC_5666 -> drawn.withRfc5666(mode());
                };
        clientDomain = world.provider().allocateProtectionDomain();
        serverDomain = world.provider().allocateProtectionDomain();
        clientQueue = world.provider().createCompletionQueue();
        serverQueue = world.provider().createCompletionQueue();
    }

    /** Little room, so that replies wait for each other. */
    private Rfc5666 mode() {
        return Rfc5666.DEFAULT
                .withAlign(1 + random.nextInt(300), 200 + random.nextInt(1000))
                .withExposedBytesMax(1 + random.nextInt(20_000));
    }

    private boolean speaksRfc5666() {
        return manner.edition == Edition.RFC_5666;
    }

    private Alignment alignment() {
        return options.rfc5666()
                .map(mode -> new Alignment(0, mode.align(), mode.alignFrom()))
                .orElse(Alignment.NONE);
    }

    /** Receives that stand posted when nothing is in progress. */
    private int receives() {
        return options.credits() + (speaksRfc5666() ? 1 : 0);
    }

    /** Tells what happens, line by line; for a seed that is had again. */
    SimulatedConnection tracing() {
        world.trace(System.out::println);
        return this;
    }

    /** Replies that were fetched, or would have been. */
    long exposed() {
        return statistics.value(Counter.EXPOSED_REPLIES);
    }

    void run() throws Exception {
        if (!connect()) {
            return;
        }
        int calls = 1 + random.nextInt(CALLS_MAX);
        for (int i = 0; i < calls; i++) {
            world.after(random.nextLong(300_000), caller::start);
        }
        world.settle();
        SimulatedEnd.checkReason(clientEnd, faulty, caller.hasCancelled());
        SimulatedEnd.checkReason(serverEnd, faulty, caller.hasCancelled());
        if (manner == Manner.NEVER_DONE) {
            expire();
        }
        checkOutcomes();
        clientEnd.close("the test is over");
        serverEnd.close("the test is over");
        world.settle();
        checkNothingIsLeft();
    }

    /** All that can be held is, and a credit more than nothing is granted, until the time is up. */
    private void expire() {
        boolean holds = serverEnd.queuePair().boundWindows() > 0;
        assertTrue(serverEnd.queuePair().boundWindows() <= options.credits());
        long now = world.nanoTime();
        long timeout = options.rfc5666().orElseThrow().doneTimeout().toNanos();
        responder.expire(now);
        responder.expire(now + timeout - 1);
        assertEquals(holds, serverEnd.queuePair().boundWindows() > 0);
        assertEquals(holds, responder.expire(now + timeout));
        world.settle();
        assertEquals(0, serverEnd.queuePair().boundWindows());
        assertTrue(!holds || clientEnd.isClosed());
    }

    private static void withhold(List<WorkRequest> requests) {
        for (var request : requests) {
            if (request instanceof WorkRequest.Send(_, var gather, _, _)
                    && gather.size() == 1
                    && gather.getFirst().length() == TransportHeaderCodec.FIXED_BYTES) {
                var element = gather.getFirst();
                element.region()
                        .segment()
                        .set(ValueLayout.JAVA_BYTE, element.offset(), (byte) 0x77);
            }
        }
    }

    private QueuePair queuePair(ProtectionDomain domain, CompletionQueue queue) {
        return world.provider()
                .createQueuePair(
                        new QueuePairOptions(
                                domain,
                                queue,
                                Endpoint.SEND_QUEUE_SIZE,
                                receives(),
                                READS,
                                READS,
                                Endpoint.GATHER_MAX));
    }

    private boolean connect() throws Exception {
        var honest = queuePair(clientDomain, clientQueue);
        var clientPair =
                manner == Manner.NEVER_DONE
                        ? new WatchedPair(honest, SimulatedConnection::withhold)
                        : honest;
        var serverPair = queuePair(serverDomain, serverQueue);
        clientEnd =
                new Endpoint(new ConnectionMemory(clientPair, clientDomain, clientPool), 16 << 10);
        serverEnd =
                new Endpoint(
                        new ConnectionMemory(serverPair, serverDomain, serverPool),
                        options.inlineReceive());
        caller =
                new SimulatedCaller(
                        world,
                        clientEnd,
                        statistics,
                        options.credits(),
                        () -> DrawnCall.any(random, SIZE_MAX));
        if (speaksRfc5666()) {
            caller.requester().speakRfc5666();
        }
        terms = Terms.ofRequester(options.privateData(), options.privateData().encode());
        caller.encodeBy(
                new CallEncoder(
                        clientEnd.memory(),
                        terms,
                        List.of(binding),
                        options.segmentMax(),
                        speaksRfc5666(),
                        alignment()));
        responder =
                new Responder(
                        serverEnd,
                        statistics,
                        terms,
                        options,
                        Allowance.UNLIMITED,
                        this::serve,
                        Guard.NONE);
        byte[] said = options.privateData().encode();
        var client = SimulatedEnd.of(clientEnd, said, clientQueue, world);
        client.connect(world, SimulatedEnd.of(serverEnd, said, serverQueue, world));
        return clientPair.state() == QueuePair.State.READY;
    }

    /** A program takes its time, or none. */
    private void serve(ServedCall call) {
        SimulatedEnd.serve(call, responder, dispatcher, bindings, world, random);
    }

    private void checkOutcomes() {
        caller.checkOutcomes();
        if (!clientEnd.isClosed()) {
            caller.checkNobodyWaits();
            assertEquals(0, responder.liveCalls(), "calls at the responder");
            assertEquals(
                    receives() + responder.keptLeases(),
                    serverPool.leased(),
                    "posted receives of the responder, and finished calls");
            assertEquals(0, serverEnd.queuePair().boundWindows(), "what was to be fetched");
        }
    }

    private void checkNothingIsLeft() {
        caller.checkNobodyWaits();
        assertEquals(0, responder.liveCalls());
        assertEquals(0, clientEnd.queuePair().boundWindows());
        assertEquals(0, serverEnd.queuePair().boundWindows());
        assertTrue(clientDomain.registeredRegions() <= clientPool.slabs());
        assertTrue(serverDomain.registeredRegions() <= serverPool.slabs());
        assertEquals(0, clientPool.leased());
        assertEquals(0, serverPool.leased());
        assertEquals(0, world.openQueuePairs());
    }
}
