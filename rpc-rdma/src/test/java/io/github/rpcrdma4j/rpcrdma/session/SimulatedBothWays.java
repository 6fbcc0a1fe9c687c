package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.rpcrdma.connection.Terms;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.FetchedReplies;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.options.Version2;
import io.github.rpcrdma4j.sim.SimOptions;
import io.github.rpcrdma4j.sim.SimWorld;
import java.util.random.RandomGenerator;

/**
 * Two ends of a connection in one world that both make and serve calls, with the same XIDs. Sizes,
 * credits, versions, delays, cancels and faults are drawn from the seed. At the end every call of
 * either direction had one outcome, the right one, and nothing is left.
 */
final class SimulatedBothWays {
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

    /** What holds for calls of the client in version 1. */
    private final Terms terms;

    private boolean begun;

    /**
     * @param version2 whether both sides speak version 2; some then do not, after all
     */
    SimulatedBothWays(long seed, boolean version2) {
        faulty = (seed & 1) == 0;
        world =
                new SimWorld(
                        seed,
                        SimOptions.CALM
                                .withScribbles()
                                .withLossPerMillion(faulty ? PER_MILLION_LOST : 0));
        random = world.random();
        var ofClient = options(version2);
        var ofServer = options(version2 && random.nextInt(16) != 0);
        terms = Terms.ofRequester(ofClient.privateData(), ofServer.privateData().encode());
        client =
                SimulatedSide.client(
                        world, ofClient, () -> DrawnCall.any(random, FORWARD_SIZE_MAX));
        server =
                SimulatedSide.server(
                        world, ofServer, terms, () -> DrawnCall.plain(random, REVERSE_SIZE_MAX));
    }

    private RpcRdmaOptions options(boolean version2) {
        var drawn =
                RpcRdmaOptions.DEFAULT
                        .withCredits(1 + random.nextInt(6))
                        .withReverseCredits(1 + random.nextInt(4))
                        .withInline(KIB * (1 + random.nextInt(6)), KIB * (1 + random.nextInt(6)))
                        .withRemoteInvalidation(random.nextBoolean())
                        .withSegmentMax(
                                random.nextBoolean() ? 1 << 20 : 700 + random.nextInt(9000));
        return version2 ? drawn.withVersion2(version2()) : drawn;
    }

    private Version2 version2() {
        var drawn =
                Version2.DEFAULT
                        .withSpeaks1(random.nextInt(16) != 0)
                        .withReceiveMax(KIB * (1 + random.nextInt(12)));
        drawn =
                random.nextInt(4) == 0
                        ? drawn.withoutTransmissions()
                        : drawn.withTransmissions(transmissions());
        drawn =
                random.nextInt(4) == 0
                        ? drawn.withoutFetchedReplies()
                        : drawn.withFetchedReplies(fetchedReplies());
        return random.nextBoolean()
                ? drawn.withWantedReceive(KIB * (1 + random.nextInt(12)))
                : drawn;
    }

    /** Little room, so that replies wait for each other. */
    private FetchedReplies fetchedReplies() {
        var rules = FetchedReplies.ReplyChunks.values();
        return FetchedReplies.DEFAULT
                .withReplyChunks(rules[random.nextInt(rules.length)])
                .withExposedBytesMax(1 + random.nextInt(20_000));
    }

    private Version2.Transmissions transmissions() {
        var carriages = Version2.Carriage.values();
        return new Version2.Transmissions(
                1 + random.nextInt(5),
                1 + random.nextInt(5),
                random.nextInt(4),
                4 * (1 + random.nextInt(random.nextBoolean() ? 20 : 1000)),
                carriages[random.nextInt(carriages.length)]);
    }

    /** Tells what happens, line by line; for a seed that is had again. */
    SimulatedBothWays tracing() {
        world.trace(System.out::println);
        return this;
    }

    /** What both sides counted. */
    long counted(Counter counter) {
        return client.statistics().value(counter) + server.statistics().value(counter);
    }

    /** Whether both sides agreed on version 2. */
    boolean spokeVersion2() {
        return begun && client.speaksVersion2() && server.speaksVersion2();
    }

    void run() throws Exception {
        client.simulated().connect(world, server.simulated());
        if (!client.isReady()) {
            return;
        }
        client.begin(terms, this::begun);
        if (faulty && random.nextInt(8) == 0) {
            var side = random.nextBoolean() ? client : server;
            world.after(random.nextLong(1_000_000), side::leave);
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
