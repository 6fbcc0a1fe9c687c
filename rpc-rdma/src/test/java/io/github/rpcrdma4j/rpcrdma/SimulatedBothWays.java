package io.github.rpcrdma4j.rpcrdma;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.CallProtection;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ReplyHeader;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcDispatcher;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.connect.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connect.Terms;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall;
import io.github.rpcrdma4j.rpcrdma.requester.Requester;
import io.github.rpcrdma4j.rpcrdma.responder.Allowance;
import io.github.rpcrdma4j.rpcrdma.responder.Responder;
import io.github.rpcrdma4j.rpcrdma.responder.ServedCall;
import io.github.rpcrdma4j.sim.SimOptions;
import io.github.rpcrdma4j.sim.SimWorld;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.xdr.SegmentPool;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Two ends of a connection in one world that both make and serve calls, with the same XIDs. Sizes,
 * credits, delays, cancels and faults are drawn from the seed. At the end every call of either
 * direction had one outcome, the right one, and nothing is left.
 */
final class SimulatedBothWays {
    private static final int CALLS_MAX = 14;
    private static final int FIRST_XID = 7;
    private static final int FORWARD_SIZE_MAX = 5000;
    private static final int REVERSE_SIZE_MAX = 900;
    private static final int READS = 4;
    private static final int PER_MILLION_LOST = 6000;

    private record Wanted(boolean listed, int size, int seed) {
        byte[] octets() {
            return EchoProgram.pattern(size, seed);
        }

        RpcCall call() {
            return listed
                    ? EchoProgram.list(size, seed)
                    : EchoProgram.store(seed, MemorySegment.ofArray(octets()));
        }

        void check(XdrReader results) throws Exception {
            if (listed) {
                assertArrayEquals(octets(), results.bytes(size));
            } else {
                assertEquals(seed, results.uint32());
                assertEquals(EchoProgram.sum(MemorySegment.ofArray(octets())), results.uint64());
            }
            results.finish();
        }
    }

    /** One end, with the calls that it makes. */
    private final class End {
        final SegmentPool pool = new SegmentPool(1 << 24);
        final ProtectionDomain domain = world.provider().allocateProtectionDomain();
        final CompletionQueue queue = world.provider().createCompletionQueue();
        final Map<PendingCall, Wanted> wanted = new IdentityHashMap<>();
        final int sizeMax;
        final int receives;
        final QueuePair queuePair;
        final Endpoint endpoint;
        final CallEncoder encoder;
        final Requester requester;
        final Responder responder;
        int nextXid = FIRST_XID;
        boolean cancelled;

        /**
         * @param calling terms of the calls that it makes
         * @param serving terms of the calls that it serves
         */
        End(boolean client, Terms calling, Terms serving) {
            int asked = client ? options.credits() : options.reverseCredits();
            int granted = client ? options.reverseCredits() : options.credits();
            sizeMax = client ? FORWARD_SIZE_MAX : REVERSE_SIZE_MAX;
            receives = asked + granted;
            queuePair =
                    world.provider()
                            .createQueuePair(
                                    new QueuePairOptions(
                                            domain,
                                            queue,
                                            Endpoint.SEND_QUEUE_SIZE,
                                            receives,
                                            READS,
                                            READS));
            endpoint = new Endpoint(queuePair, pool, options.inlineReceive());
            encoder =
                    new CallEncoder(
                            pool,
                            domain,
                            calling,
                            client ? List.of(EchoProgram.BINDING) : List.of(),
                            options.segmentMax());
            // Who came first gets what does not say for whom it is.
            if (client) {
                requester = requester(asked);
                responder = responder(serving, granted);
            } else {
                responder = responder(serving, granted);
                requester = requester(asked);
            }
        }

        private Requester requester(int credits) {
            return new Requester(endpoint, pool, new Statistics(), credits, this::answered);
        }

        private Responder responder(Terms terms, int credits) {
            return new Responder(
                    endpoint,
                    domain,
                    pool,
                    new Statistics(),
                    terms,
                    options.withCredits(credits),
                    Allowance.UNLIMITED,
                    this::serve,
                    Responder.Guard.NONE);
        }

        void start() {
            var chosen =
                    new Wanted(random.nextBoolean(), random.nextInt(sizeMax), random.nextInt());
            PendingCall pending;
            try {
                pending =
                        encoder.encode(
                                chosen.call(), CallProtection.of(new Credential.None()), nextXid++);
            } catch (RpcException impossible) {
                throw new AssertionError(impossible);
            }
            wanted.put(pending, chosen);
            requester.start(pending);
            if (random.nextInt(6) == 0) {
                world.after(random.nextLong(400_000), () -> cancel(pending));
            }
        }

        private void cancel(PendingCall pending) {
            if (pending.answer() == null) {
                cancelled = true;
                requester.cancel(pending, new RpcException.TimedOut("cancelled by the test"));
            }
        }

        private void serve(ServedCall call) {
            SimulatedEnd.serve(call, responder, dispatcher, bindings, world, random);
        }

        SimulatedEnd simulated() {
            return SimulatedEnd.of(endpoint, options.privateData().encode(), queue, random);
        }

        /** Its caller looks at the answer a little later, and then lets go of it. */
        private void answered(PendingCall pending) {
            var expected = wanted.remove(pending);
            assertNotNull(expected, "a call had two outcomes");
            world.after(random.nextLong(30_000), () -> check(pending, expected));
        }

        private void check(PendingCall pending, Wanted expected) {
            switch (pending.answer()) {
                case PendingCall.Answer.Failure(var reason) ->
                        assertTrue(endpoint.isClosed() || cancelled, reason::getMessage);
                case PendingCall.Answer.Reply(var payload, var placements) -> {
                    var in = new XdrReader(payload, placements);
                    try {
                        ReplyHeader.decode(in);
                        expected.check(in);
                    } catch (Exception wrong) {
                        throw new AssertionError(wrong);
                    }
                }
            }
            pending.release();
        }

        void checkOutcomes() {
            assertTrue(wanted.isEmpty(), "calls without an outcome");
            encoder.close();
            if (!endpoint.isClosed()) {
                assertEquals(receives, endpoint.postedReceives(), "posted receives");
                assertEquals(receives + responder.keptLeases(), pool.leased(), "leases");
                checkNobodyWaits();
            }
        }

        private void checkNobodyWaits() {
            assertEquals(0, requester.unanswered(), "calls that hold an XID");
            assertEquals(0, requester.creditsTaken(), "credits");
            assertEquals(0, responder.liveCalls(), "calls that are served");
            assertEquals(0, domain.registeredRegions(), "regions");
        }

        void checkNothingIsLeft() {
            checkNobodyWaits();
            assertEquals(0, pool.leased());
        }
    }

    private final SimWorld world;
    private final RandomGenerator random;
    private final RpcRdmaOptions options;
    private final RpcDispatcher dispatcher = new RpcDispatcher(List.of(new EchoProgram()));
    private final Bindings bindings = new Bindings(List.of(EchoProgram.BINDING));
    private final End client;
    private final End server;

    SimulatedBothWays(long seed) {
        boolean faulty = (seed & 1) == 0;
        world =
                new SimWorld(
                        seed,
                        SimOptions.CALM
                                .withScribbles()
                                .withLossPerMillion(faulty ? PER_MILLION_LOST : 0));
        random = world.random();
        options =
                RpcRdmaOptions.DEFAULT
                        .withCredits(1 + random.nextInt(6))
                        .withReverseCredits(1 + random.nextInt(4))
                        .withInline(1024 * (1 + random.nextInt(4)), 4096)
                        .withRemoteInvalidation(random.nextBoolean());
        var terms = Terms.ofRequester(options.privateData(), options.privateData().encode());
        client = new End(true, terms, terms.reversed());
        server = new End(false, terms.reversed(), terms);
    }

    /** Tells what happens, line by line; for a seed that is had again. */
    SimulatedBothWays tracing() {
        world.trace(System.out::println);
        return this;
    }

    void run() throws Exception {
        client.simulated().connect(world, server.simulated());
        if (client.queuePair.state() != QueuePair.State.READY) {
            return;
        }
        for (var end : List.of(client, server)) {
            int calls = 1 + random.nextInt(CALLS_MAX);
            for (int i = 0; i < calls; i++) {
                world.after(random.nextLong(300_000), end::start);
            }
        }
        world.settle();
        client.checkOutcomes();
        server.checkOutcomes();
        client.endpoint.close("the test is over");
        server.endpoint.close("the test is over");
        world.settle();
        client.checkNothingIsLeft();
        server.checkNothingIsLeft();
        assertEquals(0, world.openQueuePairs());
    }
}
