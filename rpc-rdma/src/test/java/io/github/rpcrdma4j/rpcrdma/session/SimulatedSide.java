package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.binding.Bindings;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.profile.ClientProfile;
import io.github.rpcrdma4j.rpcrdma.profile.ServerProfile;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlanner;
import io.github.rpcrdma4j.rpcrdma.responder.ConnectionQuota;
import io.github.rpcrdma4j.rpcrdma.responder.Guard;
import io.github.rpcrdma4j.rpcrdma.responder.Responder;
import io.github.rpcrdma4j.rpcrdma.responder.ServedCall;
import io.github.rpcrdma4j.sim.SimWorld;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** One side of a simulated connection with calls in both directions. */
public final class SimulatedSide {
    private static final int READS = 4;
    private static final int AHEAD_MAX = 10_000;

    private final SimWorld world;
    private final RpcRdmaOptions options;
    private final int requestedCredits;
    private final int granted;
    private final Supplier<RandomCall> calls;
    private final RpcDispatcher dispatcher = new RpcDispatcher(List.of(new EchoProgram()));
    private final Bindings bindings = new Bindings(List.of(EchoProgram.BINDING));
    private final SegmentPool pool = new SegmentPool(1 << 24);
    private final ProtectionDomain domain;
    private final CompletionQueue queue;
    private final Endpoint endpoint;
    private final Counters counters = new Counters();
    private SimulatedCaller caller;
    private CallEncoder encoder;
    private Responder responder;
    private ClientProfile clientProfile;
    private ServerProfile serverProfile;
    private final SimulatedSetup setup;
    private Runnable served = () -> {};
    private boolean hasLeft;
    private boolean hasBegun;

    /** Returns how many receives the profile keeps posted while no call is in progress. */
    private IntSupplier spareReceives = () -> 0;

    /**
     * @param requestedCredits the number of credits that its calls request
     * @param granted the number of credits that it grants
     * @param calls returns a random call
     */
    SimulatedSide(
            SimWorld world,
            RpcRdmaOptions options,
            int requestedCredits,
            int granted,
            Supplier<RandomCall> calls) {
        this.world = world;
        this.options = options;
        this.requestedCredits = requestedCredits;
        this.granted = granted;
        this.calls = calls;
        domain = world.provider().allocateProtectionDomain();
        queue = world.provider().createCompletionQueue();
        var queuePair =
                world.provider()
                        .createQueuePair(
                                new QueuePairOptions(
                                        domain,
                                        queue,
                                        Endpoint.SEND_QUEUE_SIZE,
                                        options.sizes().receives(),
                                        READS,
                                        READS,
                                        Endpoint.GATHER_MAX));
        endpoint =
                new Endpoint(
                        new ConnectionMemory(queuePair, domain, pool),
                        options.sizes().receiveBytes(),
                        () -> {});
        setup = new SimulatedSetup(world, endpoint, counters, options);
    }

    /** Returns a client, which makes calls and serves calls of its server. */
    public static SimulatedSide client(
            SimWorld world, RpcRdmaOptions options, Supplier<RandomCall> calls) {
        var side =
                new SimulatedSide(
                        world, options, options.credits(), options.callBackCredits(), calls);
        side.becomeRequester();
        return side;
    }

    /**
     * Returns a server, which calls back now and then.
     *
     * @param parameters the initial connection parameters
     */
    public static SimulatedSide server(
            SimWorld world,
            RpcRdmaOptions options,
            ConnectionParameters parameters,
            Supplier<RandomCall> calls) {
        var side =
                new SimulatedSide(
                        world, options, options.callBackCredits(), options.credits(), calls);
        side.becomeResponder(parameters);
        side.served = side::callBack;
        side.setup.initial(parameters);
        side.serverProfile = options.profile().server(side.setup);
        side.setup.profile(side.serverProfile);
        side.serverProfile.begin();
        return side;
    }

    public Endpoint endpoint() {
        return endpoint;
    }

    public Counters counters() {
        return counters;
    }

    boolean isReady() {
        return endpoint.queuePair().state() == QueuePair.State.READY;
    }

    SimulatedEnd simulated() {
        return SimulatedEnd.of(
                endpoint, options.privateData().encode(), queue, world, this::takeAnswered);
    }

    private void takeAnswered() {
        if (caller != null) {
            caller.takeAnswered();
        }
    }

    private void becomeRequester() {
        caller = new SimulatedCaller(world, endpoint, counters, requestedCredits, calls);
        setup.requester(caller.requester());
    }

    private void callBy(
            ConnectionParameters parameters,
            List<UpperLayerBinding> bindings,
            CallPlanner planner) {
        encoder =
                new CallEncoder(
                        endpoint.memory(), parameters, bindings, options.segmentMax(), planner);
        setup.encoder(encoder);
        caller.encodeBy(encoder);
    }

    private void becomeResponder(ConnectionParameters parameters) {
        responder =
                new Responder(
                        endpoint,
                        counters,
                        parameters,
                        new Responder.Bounds(
                                granted,
                                options.fetchedBytesPerCall(),
                                options.fetchedBytesPerConnection()),
                        ConnectionQuota.UNLIMITED,
                        Guard.NONE);
        if (world.random().nextBoolean()) {
            responder.plan(world.random().nextInt(AHEAD_MAX), _ -> 0);
        }
        endpoint.afterEach(() -> SimulatedEnd.run(responder, this::serve));
        setup.responder(responder);
    }

    private void serve(ServedCall call) {
        served.run();
        SimulatedEnd.serve(
                call, responder, this::serve, dispatcher, bindings, world, world.random());
    }

    /** Calls back now and then, as a program of a server can while it serves a call. */
    private void callBack() {
        if (world.random().nextInt(3) == 0) {
            world.after(world.random().nextLong(200_000), this::startReverse);
        }
    }

    private void startReverse() {
        if (caller == null) {
            becomeRequester();
            serverProfile.callBack(caller.requester());
            callBy(responder.parameters().reversed(), List.of(), serverProfile.planner());
        }
        caller.start();
    }

    /**
     * Starts a client: it negotiates the protocol with its server, and closes the connection if
     * they have no version in common.
     *
     * @param parameters the initial connection parameters
     * @return whether the client can make calls
     */
    public boolean begin(ConnectionParameters parameters) throws InterruptedException {
        setup.initial(parameters);
        callBy(parameters, List.of(EchoProgram.BINDING), CallPlanner.RFC_8166);
        clientProfile = options.profile().client(setup);
        try {
            hasBegun = clientProfile.open().isEmpty();
        } catch (RpcException _) {
            hasBegun = false;
        }
        if (!hasBegun) {
            leave();
            return false;
        }
        becomeResponder(encoder.parameters().reversed());
        clientProfile.serve(responder);
        return true;
    }

    /** Closes the connection for no reason. */
    void leave() {
        hasLeft = true;
        endpoint.close(SimulatedEnd.LEFT);
    }

    boolean hasLeft() {
        return hasLeft;
    }

    public SimulatedCaller caller() {
        return caller;
    }

    public Responder responder() {
        return responder;
    }

    /** Sets how many receives the profile keeps posted while no call is in progress. */
    public void spares(IntSupplier receives) {
        spareReceives = receives;
    }

    /** Returns how many receives this side keeps posted while no call is in progress. */
    private int receives() {
        return (caller == null ? 0 : caller.requester().receives())
                + (responder == null ? 0 : responder.receives())
                + spareReceives.getAsInt();
    }

    /** Returns whether a call was cancelled. */
    public boolean hasCancelled() {
        return caller != null && caller.hasCancelled();
    }

    public SimulatedSetup setup() {
        return setup;
    }

    /** Returns the wire profile of a server; null at a client. */
    public ServerProfile serverProfile() {
        return serverProfile;
    }

    /** Returns the wire profile of a client; null before it begins, and at a server. */
    public ClientProfile clientProfile() {
        return clientProfile;
    }

    /** Returns whether it can make calls now. */
    public boolean canCall() {
        return hasBegun || serverProfile != null && encoder != null;
    }

    /** Checks that no served call is left; without own calls, also that no memory is exposed. */
    public void checkNothingIsKept() {
        if (responder != null) {
            assertEquals(0, responder.liveCalls(), "calls that are served");
        }
        if (caller == null || caller.requester().unanswered() == 0) {
            assertEquals(0, endpoint.queuePair().boundWindows(), "windows");
            assertTrue(domain.registeredRegions() <= pool.slabs(), "regions");
        }
    }

    /** Checks that every call had its outcome, for any behaviour of the peer. */
    public void checkOutcomesAnyhow() {
        if (caller != null) {
            caller.checkOutcomes();
        }
    }

    /**
     * Checks the outcomes of all calls, and that nothing is kept on a connection that is still up.
     *
     * @param faulty whether the run loses connections at random
     */
    void checkOutcomes(SimulatedSide other, boolean faulty) {
        SimulatedEnd.checkReason(endpoint, faulty, hasCancelled() || other.hasCancelled());
        if (caller != null) {
            caller.checkOutcomes();
        }
        if (!endpoint.isClosed()) {
            assertEquals(receives(), endpoint.postedReceives(), "posted receives");
            int kept = responder == null ? 0 : responder.keptLeases();
            assertEquals(receives() + kept, pool.leased(), "leases");
            checkNoThreadWaits();
        }
    }

    private void checkNoThreadWaits() {
        if (caller != null) {
            caller.checkNoThreadWaits();
        }
        if (responder != null) {
            assertEquals(0, responder.liveCalls(), "calls that are served");
        }
        assertEquals(0, endpoint.queuePair().boundWindows(), "windows");
        assertTrue(domain.registeredRegions() <= pool.slabs(), "regions");
    }

    public void checkNothingIsLeft() {
        checkNoThreadWaits();
        assertEquals(0, pool.leased());
    }
}
