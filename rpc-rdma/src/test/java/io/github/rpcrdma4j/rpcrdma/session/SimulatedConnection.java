package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.binding.Bindings;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.metrics.Counted;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlanner;
import io.github.rpcrdma4j.rpcrdma.responder.ConnectionQuota;
import io.github.rpcrdma4j.rpcrdma.responder.Guard;
import io.github.rpcrdma4j.rpcrdma.responder.Responder;
import io.github.rpcrdma4j.rpcrdma.responder.ServedCall;
import io.github.rpcrdma4j.sim.SimOptions;
import io.github.rpcrdma4j.sim.SimWorld;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * A requester and a responder in one simulated world. The seed determines calls, sizes, options,
 * delays and faults. At the end payloads are exact, every call had one outcome, and no resource is
 * left.
 */
public final class SimulatedConnection {
    private static final int CALLS_MAX = 14;
    private static final int SIZE_MAX = 9000;
    private static final int READS = 4;
    private static final int PER_MILLION_LOST = 8000;

    /**
     * The behaviour of both ends.
     *
     * @param binding the binding of the program
     * @param profile chooses the wire profile of both ends
     * @param spareReceives how many receives the server posts for its profile beyond its credits
     * @param tampers changes the work requests that the client posts
     * @param settled checks the connection once the world is idle
     */
    public record Behaviour(
            UpperLayerBinding binding,
            Function<RandomGenerator, WireProfile> profile,
            int spareReceives,
            Consumer<List<WorkRequest>> tampers,
            Consumer<SimulatedConnection> settled) {
        /** The behaviour by RFC 8166. */
        static final Behaviour RFC_8166 =
                new Behaviour(EchoProgram.BINDING, _ -> WireProfile.RFC_8166, 0, _ -> {}, _ -> {});
    }

    private final SimWorld world;
    private final Behaviour behaviour;
    private final boolean faulty;
    private final RandomGenerator random;
    private final RpcRdmaOptions options;
    private final SegmentPool clientPool = new SegmentPool(1 << 24);
    private final SegmentPool serverPool = new SegmentPool(1 << 24);
    private final Counters counters = new Counters();
    private final RpcDispatcher dispatcher = new RpcDispatcher(List.of(new EchoProgram()));
    private final Bindings bindings;

    private final ProtectionDomain clientDomain;
    private final ProtectionDomain serverDomain;
    private final CompletionQueue clientQueue;
    private final CompletionQueue serverQueue;
    private Endpoint clientEnd;
    private Endpoint serverEnd;
    private SimulatedCaller caller;
    private Responder responder;

    public SimulatedConnection(long seed, Behaviour behaviour) {
        this.behaviour = behaviour;
        faulty = (seed & 1) == 0;
        world =
                new SimWorld(
                        seed,
                        SimOptions.CALM
                                .withScribbles()
                                .withLossPerMillion(faulty ? PER_MILLION_LOST : 0));
        random = world.random();
        bindings = new Bindings(List.of(behaviour.binding));
        options =
                RpcRdmaOptions.DEFAULT.toBuilder()
                        .credits(1 + random.nextInt(6))
                        .inlineSend(1024 * (1 + random.nextInt(6)))
                        .inlineReceive(1024 * (1 + random.nextInt(6)))
                        .remoteInvalidation(random.nextBoolean())
                        .segmentMax(random.nextBoolean() ? 1 << 20 : 700 + random.nextInt(9000))
                        .build()
                        .withProfile(behaviour.profile.apply(random));
        clientDomain = world.provider().allocateProtectionDomain();
        serverDomain = world.provider().allocateProtectionDomain();
        clientQueue = world.provider().createCompletionQueue();
        serverQueue = world.provider().createCompletionQueue();
    }

    /** Returns how many receives the server keeps posted while no call is in progress. */
    private int receives() {
        return options.credits() + behaviour.spareReceives;
    }

    /** Prints all events, to repeat a failed seed. */
    public SimulatedConnection tracing() {
        world.trace(System.out::println);
        return this;
    }

    public SimWorld world() {
        return world;
    }

    public RpcRdmaOptions options() {
        return options;
    }

    public Endpoint clientEnd() {
        return clientEnd;
    }

    public Endpoint serverEnd() {
        return serverEnd;
    }

    public Responder responder() {
        return responder;
    }

    /** Returns a counter, which both sides share. */
    public long counted(Counted what) {
        return counters.value(what);
    }

    /** Returns the sum of all counters that RFC 8166 does not have, such as fetched replies. */
    long countedByProfile() {
        return counters.snapshot().values().entrySet().stream()
                .filter(entry -> !(entry.getKey() instanceof Counter))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    public void run() throws Exception {
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
        behaviour.settled.accept(this);
        checkOutcomes();
        clientEnd.close("the test is over");
        serverEnd.close("the test is over");
        world.settle();
        checkNothingIsLeft();
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
        var clientPair = new WatchedPair(queuePair(clientDomain, clientQueue), behaviour.tampers);
        var serverPair = queuePair(serverDomain, serverQueue);
        clientEnd =
                new Endpoint(
                        new ConnectionMemory(clientPair, clientDomain, clientPool),
                        16 << 10,
                        () -> {});
        serverEnd =
                new Endpoint(
                        new ConnectionMemory(serverPair, serverDomain, serverPool),
                        options.inlineReceive(),
                        () -> {});
        caller =
                new SimulatedCaller(
                        world,
                        clientEnd,
                        counters,
                        options.credits(),
                        () -> RandomCall.any(random, SIZE_MAX));
        var parameters =
                ConnectionParameters.ofRequester(
                        options.privateData(), options.privateData().encode());
        var encoder =
                new CallEncoder(
                        clientEnd.memory(),
                        parameters,
                        List.of(behaviour.binding),
                        options.segmentMax(),
                        CallPlanner.RFC_8166);
        caller.encodeBy(encoder);
        var ofClient = new SimulatedSetup(world, clientEnd, counters, options);
        ofClient.initial(parameters);
        ofClient.requester(caller.requester());
        ofClient.encoder(encoder);
        options.profile().client(ofClient).open();
        responder =
                new Responder(
                        serverEnd,
                        counters,
                        parameters,
                        options.bounds(),
                        ConnectionQuota.UNLIMITED,
                        Guard.NONE);
        if (random.nextBoolean()) {
            responder.plan(random.nextInt(SIZE_MAX), _ -> 0);
        }
        serverEnd.afterEach(() -> SimulatedEnd.run(responder, this::serve));
        var ofServer = new SimulatedSetup(world, serverEnd, counters, options);
        ofServer.initial(parameters);
        ofServer.responder(responder);
        options.profile().server(ofServer).begin();
        byte[] said = options.privateData().encode();
        var client = SimulatedEnd.of(clientEnd, said, clientQueue, world, caller::takeAnswered);
        client.connect(world, SimulatedEnd.of(serverEnd, said, serverQueue, world, () -> {}));
        return clientPair.state() == QueuePair.State.READY;
    }

    /** Carries a call out at once, or after a random time. */
    private void serve(ServedCall call) {
        SimulatedEnd.serve(call, responder, this::serve, dispatcher, bindings, world, random);
    }

    private void checkOutcomes() {
        caller.checkOutcomes();
        if (!clientEnd.isClosed()) {
            caller.checkNoThreadWaits();
            assertEquals(0, responder.liveCalls(), "calls at the responder");
            assertEquals(
                    receives() + responder.keptLeases(),
                    serverPool.leased(),
                    "posted receives of the responder, and finished calls");
            assertEquals(0, serverEnd.queuePair().boundWindows(), "what was to be fetched");
        }
    }

    private void checkNothingIsLeft() {
        caller.checkNoThreadWaits();
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
