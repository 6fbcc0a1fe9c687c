package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.binding.Bindings;
import io.github.rpcrdma4j.rpcrdma.binding.UpperLayerBinding;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.Reception;
import io.github.rpcrdma4j.rpcrdma.connection.Terms;
import io.github.rpcrdma4j.rpcrdma.connection.VersionGate;
import io.github.rpcrdma4j.rpcrdma.exchange.VersionProbe;
import io.github.rpcrdma4j.rpcrdma.metrics.Statistics;
import io.github.rpcrdma4j.rpcrdma.options.ConnectionSizes;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.options.Version2;
import io.github.rpcrdma4j.rpcrdma.responder.Allowance;
import io.github.rpcrdma4j.rpcrdma.responder.Guard;
import io.github.rpcrdma4j.rpcrdma.responder.Responder;
import io.github.rpcrdma4j.rpcrdma.responder.ServedCall;
import io.github.rpcrdma4j.sim.SimWorld;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** One side of a simulated connection with calls both ways: what it makes, serves and takes. */
final class SimulatedSide {
    private static final int READS = 4;

    private final SimWorld world;
    private final RpcRdmaOptions options;
    private final int asked;
    private final int granted;
    private final Supplier<DrawnCall> draws;
    private final RpcDispatcher dispatcher = new RpcDispatcher(List.of(new EchoProgram()));
    private final Bindings bindings = new Bindings(List.of(EchoProgram.BINDING));
    private final SegmentPool pool = new SegmentPool(1 << 24);
    private final ProtectionDomain domain;
    private final CompletionQueue queue;
    private final Endpoint endpoint;
    private final Statistics statistics = new Statistics();
    private SimulatedCaller caller;
    private CallEncoder encoder;
    private Responder responder;
    private Reception reception;
    private Runnable served = () -> {};
    private boolean hasLeft;
    private boolean speaksVersion2;

    /**
     * @param asked how many credits its calls ask for
     * @param granted how many it grants
     * @param draws chooses its calls
     */
    SimulatedSide(
            SimWorld world,
            RpcRdmaOptions options,
            int asked,
            int granted,
            Supplier<DrawnCall> draws) {
        this.world = world;
        this.options = options;
        this.asked = asked;
        this.granted = granted;
        this.draws = draws;
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
                        options.sizes().receiveLength());
    }

    /** A client, with what it calls and what may call it back. */
    static SimulatedSide client(SimWorld world, RpcRdmaOptions options, Supplier<DrawnCall> draws) {
        var side =
                new SimulatedSide(
                        world, options, options.credits(), options.reverseCredits(), draws);
        side.becomeRequester();
        return side;
    }

    /**
     * A server that calls back now and then.
     *
     * @param terms that hold in version 1
     */
    static SimulatedSide server(
            SimWorld world, RpcRdmaOptions options, Terms terms, Supplier<DrawnCall> draws) {
        var side =
                new SimulatedSide(
                        world, options, options.reverseCredits(), options.credits(), draws);
        side.becomeResponder(terms);
        side.served = side::callBack;
        options.version2().ifPresent(version2 -> side.guard(version2, terms));
        return side;
    }

    Endpoint endpoint() {
        return endpoint;
    }

    Statistics statistics() {
        return statistics;
    }

    boolean isReady() {
        return endpoint.queuePair().state() == QueuePair.State.READY;
    }

    SimulatedEnd simulated() {
        return SimulatedEnd.of(endpoint, options.privateData().encode(), queue, world);
    }

    private void becomeRequester() {
        caller = new SimulatedCaller(world, endpoint, statistics, asked, draws);
        if (reception != null) {
            speakVersion2();
        }
    }

    private void speakVersion2() {
        speaksVersion2 = true;
        new Version2Profile(options, true).speak(caller.requester(), reception, world::nanoTime);
    }

    private void callBy(Terms terms, List<UpperLayerBinding> bindings) {
        encoder = new CallEncoder(endpoint.memory(), terms, bindings, options.segmentMax());
        caller.encodeBy(encoder);
    }

    private void becomeResponder(Terms terms) {
        responder =
                new Responder(
                        endpoint,
                        statistics,
                        terms,
                        options.withCredits(granted),
                        Allowance.UNLIMITED,
                        this::serve,
                        Guard.NONE);
        if (reception != null) {
            serveVersion2();
        }
    }

    private void serveVersion2() {
        reception.handTo(responder.speakVersion2(reception.exchanges()));
    }

    private void serve(ServedCall call) {
        served.run();
        SimulatedEnd.serve(call, responder, dispatcher, bindings, world, world.random());
    }

    /** A program of a server calls back, which it can once it was called. */
    private void callBack() {
        if (world.random().nextInt(3) == 0) {
            world.after(world.random().nextLong(200_000), this::startReverse);
        }
    }

    private void startReverse() {
        if (caller == null) {
            becomeRequester();
            callBy(responder.terms().reversed(), List.of());
        }
        caller.start();
    }

    private void guard(Version2 version2, Terms terms) {
        endpoint.front(
                Optional.of(
                        new VersionGate(
                                endpoint,
                                statistics,
                                options.credits(),
                                version2.speaks1(),
                                responder,
                                () -> becomeVersion2(terms))));
    }

    private Reception becomeVersion2(Terms terms) {
        var profile = new Version2Profile(options, true);
        receiveBy(
                profile,
                _ -> {},
                () -> {
                    var told = profile.ofServer(terms, reception.exchanges());
                    agree(told.reversed(), told);
                });
        speaksVersion2 = true;
        serveVersion2();
        responder.configured(profile.ofServer(terms, reception.exchanges()));
        return reception;
    }

    private void receiveBy(
            Version2Profile profile, Consumer<VersionProbe.Event> heard, Runnable changed) {
        reception =
                profile.reception(
                        endpoint,
                        statistics,
                        xid -> caller != null && caller.requester().holds(xid),
                        heard,
                        changed);
    }

    private void agree(Terms calls, Terms replies) {
        if (encoder != null) {
            encoder.agree(calls);
        }
        if (responder != null) {
            responder.configured(replies);
        }
    }

    /**
     * A client finds out which version its server speaks, and begins.
     *
     * @param terms that hold in version 1
     * @param begun told when it can make calls; not if there is no version in common
     */
    void begin(Terms terms, Runnable begun) {
        if (options.version2().isEmpty()) {
            begunIn(terms);
            begun.run();
            return;
        }
        var negotiation = new Negotiation(options.version2().orElseThrow());
        var profile = new Version2Profile(options, true);
        receiveBy(
                profile,
                event -> {
                    negotiation.on(event);
                    world.after(0, () -> negotiated(negotiation, profile, terms, begun));
                },
                () -> {
                    var told = profile.ofClient(terms, reception.exchanges());
                    agree(told, told.reversed());
                });
        endpoint.front(Optional.of(reception));
        reception.open();
    }

    private void negotiated(
            Negotiation negotiation, Version2Profile profile, Terms terms, Runnable begun) {
        if (encoder != null) {
            return;
        }
        switch (negotiation.result()) {
            case OPEN -> {}
            case VERSION_1 -> {
                endpoint.front(Optional.empty());
                begunIn(terms);
                begun.run();
            }
            case VERSION_2 -> {
                speakVersion2();
                begunIn(profile.ofClient(terms, reception.exchanges()));
                begun.run();
            }
            case VERSION_1_ANEW, NONE -> leave();
        }
    }

    private void begunIn(Terms terms) {
        callBy(terms, List.of(EchoProgram.BINDING));
        becomeResponder(terms.reversed());
    }

    /** Closes the connection for no reason. */
    void leave() {
        hasLeft = true;
        endpoint.close(SimulatedEnd.LEFT);
    }

    boolean hasLeft() {
        return hasLeft;
    }

    SimulatedCaller caller() {
        return caller;
    }

    Responder responder() {
        return responder;
    }

    /** Empty if version 2 was not even tried. */
    Optional<Reception> reception() {
        return Optional.ofNullable(reception);
    }

    /** Receives that stand posted when nothing is in progress. */
    private int receives() {
        return (caller == null ? 0 : caller.requester().receives())
                + (responder == null ? 0 : responder.receives())
                + (reception == null ? 0 : ConnectionSizes.SPARE_RECEIVES);
    }

    /** Whether a call was given up. */
    boolean hasCancelled() {
        return caller != null && caller.hasCancelled();
    }

    /** Whether it has found out that the peer speaks version 2. */
    boolean speaksVersion2() {
        return speaksVersion2;
    }

    /** Whether it can make calls now. */
    boolean canCall() {
        return encoder != null;
    }

    /** Nothing of what the peer said is kept, while calls wait for their answers. */
    void checkNothingIsKept() {
        if (responder != null) {
            assertEquals(0, responder.liveCalls(), "calls that are served");
        }
        if (caller == null || caller.requester().unanswered() == 0) {
            assertEquals(0, endpoint.queuePair().boundWindows(), "windows");
            assertTrue(domain.registeredRegions() <= pool.slabs(), "regions");
        }
    }

    /** Every call had its outcome, whatever the peer did. */
    void checkOutcomesAnyhow() {
        if (caller != null) {
            caller.checkOutcomes();
        }
    }

    /**
     * @param faulty whether connections were lost by chance
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
            checkNobodyWaits();
        }
    }

    private void checkNobodyWaits() {
        if (caller != null) {
            caller.checkNobodyWaits();
        }
        if (responder != null) {
            assertEquals(0, responder.liveCalls(), "calls that are served");
        }
        assertEquals(0, endpoint.queuePair().boundWindows(), "windows");
        assertTrue(domain.registeredRegions() <= pool.slabs(), "regions");
    }

    void checkNothingIsLeft() {
        checkNobodyWaits();
        assertEquals(0, pool.leased());
    }
}
