package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.metrics.Counted;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import io.github.rpcrdma4j.sim.SimOptions;
import io.github.rpcrdma4j.sim.SimWorld;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * Two ends of a connection in one simulated world. Both make and serve calls, with equal XIDs. The
 * seed determines sizes, credits, versions, delays, cancellations and faults. At the end each call
 * of either direction had one outcome, the correct one, and no resource is left.
 */
public final class SimulatedBothWays {
    private static final int CALLS_MAX = 14;
    private static final int FORWARD_SIZE_MAX = 9000;
    private static final int REVERSE_SIZE_MAX = 900;
    private static final int PER_MILLION_LOST = 6000;
    private static final int KIB = 1024;

    private final SimWorld world;
    private final RandomGenerator random;
    private final SimulatedSide client;
    private final SimulatedSide server;
    private final boolean faulty;

    /** The initial connection parameters for calls of the client. */
    private final ConnectionParameters parameters;

    private boolean begun;

    /**
     * @param ofClient chooses the wire profile of the client
     * @param ofServer chooses the wire profile of the server
     */
    public SimulatedBothWays(
            long seed,
            Function<RandomGenerator, WireProfile> ofClient,
            Function<RandomGenerator, WireProfile> ofServer) {
        faulty = (seed & 1) == 0;
        world =
                new SimWorld(
                        seed,
                        SimOptions.CALM
                                .withScribbles()
                                .withLossPerMillion(faulty ? PER_MILLION_LOST : 0));
        random = world.random();
        var clientOptions = options(ofClient);
        var serverOptions = options(ofServer);
        parameters =
                ConnectionParameters.ofRequester(
                        clientOptions.privateData(), serverOptions.privateData().encode());
        client =
                SimulatedSide.client(
                        world, clientOptions, () -> RandomCall.any(random, FORWARD_SIZE_MAX));
        server =
                SimulatedSide.server(
                        world,
                        serverOptions,
                        parameters,
                        () -> RandomCall.plain(random, REVERSE_SIZE_MAX));
    }

    private RpcRdmaOptions options(Function<RandomGenerator, WireProfile> profiles) {
        return RpcRdmaOptions.DEFAULT.toBuilder()
                .credits(1 + random.nextInt(6))
                .callBackCredits(1 + random.nextInt(4))
                .inlineSend(KIB * (1 + random.nextInt(6)))
                .inlineReceive(KIB * (1 + random.nextInt(6)))
                .remoteInvalidation(random.nextBoolean())
                .segmentMax(random.nextBoolean() ? 1 << 20 : 700 + random.nextInt(9000))
                .build()
                .withProfile(profiles.apply(random));
    }

    /** Prints all events, to repeat a failed seed. */
    public SimulatedBothWays tracing() {
        world.trace(System.out::println);
        return this;
    }

    /** Returns the sum of a counter over both sides. */
    long counted(Counted counter) {
        return client.counters().value(counter) + server.counters().value(counter);
    }

    public SimulatedSide client() {
        return client;
    }

    public SimulatedSide server() {
        return server;
    }

    /** Returns whether the client could make calls. */
    public boolean hasBegun() {
        return begun;
    }

    public void run() throws Exception {
        client.simulated().connect(world, server.simulated());
        if (!client.isReady()) {
            return;
        }
        if (faulty && random.nextInt(8) == 0) {
            var side = random.nextBoolean() ? client : server;
            world.after(random.nextLong(1_000_000), side::leave);
        }
        if (client.begin(parameters)) {
            begun();
        }
        world.settle();
        boolean isLost = faulty || client.hasLeft() || server.hasLeft();
        client.checkOutcomes(server, isLost);
        server.checkOutcomes(client, isLost);
        client.endpoint().close("the test is over");
        server.endpoint().close("the test is over");
        world.settle();
        client.checkNothingIsLeft();
        server.checkNothingIsLeft();
        assertEquals(0, world.openQueuePairs());
    }

    private void begun() {
        begun = true;
        int calls = 1 + random.nextInt(CALLS_MAX);
        for (int i = 0; i < calls; i++) {
            world.after(random.nextLong(300_000), client.caller()::start);
        }
    }
}
