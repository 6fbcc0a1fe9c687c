package io.github.rpcrdma4j.rpcrdma.rfc5666;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import io.github.rpcrdma4j.rpcrdma.rfc5666.options.FetchedCounter;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.SimulatedConnection;
import io.github.rpcrdma4j.rpcrdma.session.SimulatedConnection.Behaviour;
import io.github.rpcrdma4j.rpcrdma.session.SimulatedRuns;
import io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec;
import io.github.rpcrdma4j.sim.Seeds;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: by RFC 5666 too, nothing leaks and every call has exactly one outcome. Method: thousands of
 * connections, each drawn from its own seed. A failed one is repeated like those of {@code
 * SimulatedConnectionsTest}.
 */
class SimulatedRfc5666Test {
    private static final int CONNECTIONS = 4000;

    /** Long replies are fetched, and RDMA_DONE is sent or lost. */
    @Test
    @Tag("5666-3.5-3")
    @Tag("5666-3.8-6")
    @Tag("5666-3.8-7")
    @Tag("5666-11-4")
    void endsCleanlyWhateverIsFetched() {
        assertTrue(run(_ -> {}, _ -> {}) > (Seeds.isGiven() ? -1 : 1000));
    }

    /** Clients fetch and never send RDMA_DONE, so timeouts release the exposed memory. */
    @Test
    @Tag("5666-3.8-3")
    @Tag("5666-11-4")
    @Tag("5666-11-8")
    void endsCleanlyWhateverIsHeldBack() {
        long exposed = run(SimulatedRfc5666Test::withhold, SimulatedRfc5666Test::expire);
        assertTrue(exposed > (Seeds.isGiven() ? -1 : 1000));
    }

    /** Returns the number of fetched replies. */
    private static long run(
            Consumer<List<WorkRequest>> tampers, Consumer<SimulatedConnection> settled) {
        var behaviour =
                new Behaviour(
                        EchoProgram.FETCHED, SimulatedRfc5666Test::drawn, 1, tampers, settled);
        var exposed = new LongAdder();
        SimulatedRuns.of(
                CONNECTIONS,
                (seed, traces) -> {
                    var connection = new SimulatedConnection(seed, behaviour);
                    (traces ? connection.tracing() : connection).run();
                    exposed.add(connection.counted(FetchedCounter.EXPOSED_REPLIES));
                });
        return exposed.sum();
    }

    /** Leaves little room, so that replies wait for each other. */
    private static WireProfile drawn(RandomGenerator random) {
        return Rfc5666.DEFAULT
                .withConfigures(false)
                .withAlign(1 + random.nextInt(300), 200 + random.nextInt(1000))
                .withExposedBytesMax(1 + random.nextInt(20_000));
    }

    /** Changes the XID of each RDMA_DONE to that of a call that was never made. */
    private static void withhold(List<WorkRequest> requests) {
        for (var request : requests) {
            if (request instanceof WorkRequest.Send(_, var gather, _, _)
                    && gather.size() == 1
                    && gather.getFirst().length() == Version1HeaderCodec.FIXED_BYTES) {
                var element = gather.getFirst();
                element.region()
                        .segment()
                        .set(ValueLayout.JAVA_BYTE, element.offset(), (byte) 0x77);
            }
        }
    }

    /** Checks that exposed memory stays within the credits, and is released when its time is up. */
    private static void expire(SimulatedConnection connection) {
        var pair = connection.serverEnd().queuePair();
        var responder = connection.responder();
        boolean holds = pair.boundWindows() > 0;
        assertTrue(pair.boundWindows() <= connection.options().credits());
        long now = connection.world().nanoTime();
        long timeout = Rfc5666.DEFAULT.doneTimeout().toNanos();
        responder.expire(now, 1);
        responder.expire(now + timeout - 1, 1);
        assertEquals(holds, pair.boundWindows() > 0);
        assertEquals(holds, responder.expire(now + timeout, 1));
        connection.world().settle();
        assertEquals(0, pair.boundWindows());
        assertTrue(!holds || connection.clientEnd().isClosed());
    }
}
