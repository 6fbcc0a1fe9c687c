package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.binding.Bindings;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionLoss;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.responder.Responder;
import io.github.rpcrdma4j.rpcrdma.responder.ServedCall;
import io.github.rpcrdma4j.sim.SimWorld;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.RdmaException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * One end of a connection in a world, which has its turn after every event.
 *
 * @param privateData what it says when it connects
 * @param queue where its work completes
 * @param completed takes what completed
 */
record SimulatedEnd(
        QueuePair pair,
        byte[] privateData,
        CompletionQueue queue,
        Consumer<List<Completion>> completed) {
    /** Where nobody is. */
    static final InetSocketAddress NOWHERE =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);

    /** Why an end of a test goes away in the middle. */
    static final String LEFT = "the test leaves";

    private static final String LOST = "the connection was lost";
    private static final String CLOSED = "the peer closed the connection";
    private static final String TOLD =
            "the peer ended the connection: the peer (read|wrote) where it must not";

    private static final Duration LONG = Duration.ofSeconds(1);
    private static final InetSocketAddress ANYWHERE =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    /**
     * An end of ours that takes its completions one by one or all at once, and now and then only
     * after a while, as chance has it.
     *
     * @param handled run after some were handled
     */
    static SimulatedEnd of(
            Endpoint endpoint,
            byte[] privateData,
            CompletionQueue queue,
            SimWorld world,
            Runnable handled) {
        return new SimulatedEnd(
                endpoint.queuePair(), privateData, queue, new Poller(endpoint, world, handled));
    }

    /** Polls an endpoint of ours, and has something else to do at times. */
    private static final class Poller implements Consumer<List<Completion>> {
        private static final int ONE_OF_BREAKS = 8;
        private static final long BREAK_NANOS_MAX = 300_000;

        private final Endpoint endpoint;
        private final SimWorld world;
        private final Runnable handled;
        private final List<Completion> waiting = new ArrayList<>();
        private boolean away;

        Poller(Endpoint endpoint, SimWorld world, Runnable handled) {
            this.handled = handled;
            this.endpoint = endpoint;
            this.world = world;
        }

        @Override
        public void accept(List<Completion> completions) {
            waiting.addAll(completions);
            if (away || waiting.isEmpty()) {
                return;
            }
            if (world.random().nextInt(ONE_OF_BREAKS) == 0) {
                away = true;
                world.after(world.random().nextLong(BREAK_NANOS_MAX), this::comeBack);
            } else {
                handle();
            }
        }

        private void comeBack() {
            away = false;
            handle();
        }

        private void handle() {
            var turn = List.copyOf(waiting);
            waiting.clear();
            int step = world.random().nextBoolean() ? 1 : Math.max(1, turn.size());
            for (int i = 0; i < turn.size(); i += step) {
                endpoint.completed(turn, i, i + step);
                handled.run();
            }
        }
    }

    /**
     * Sees to it that a connection is up, or was lost for a reason that had to be expected: no
     * message came without a receive that takes it (RFC 8166, Section 3.3.1), for one.
     *
     * @param faulty whether connections were lost, or closed, by chance
     * @param cancelled whether calls were given up: what the peer does for one then may go astray
     */
    static void checkReason(Endpoint endpoint, boolean faulty, boolean cancelled) {
        if (endpoint.isClosed()) {
            var reason = endpoint.loss().words();
            // The end that gave up blames itself, and no end the other.
            boolean expected =
                    faulty && List.of(LOST, CLOSED, LEFT).contains(reason)
                            || cancelled
                                    && (endpoint.loss() instanceof ConnectionLoss.CallGivenUp
                                            || CLOSED.equals(reason)
                                            || reason.matches(TOLD));
            assertTrue(expected, reason);
        }
    }

    /** Gives the calls that are ready to who runs them. */
    static void run(Responder responder, Consumer<ServedCall> runner) {
        for (var call = responder.next(); call != null; call = responder.next()) {
            runner.accept(call);
        }
    }

    /**
     * Carries a call out: now, or after a time, as chance has it.
     *
     * @param runner runs the calls that waited for that
     */
    static void serve(
            ServedCall call,
            Responder responder,
            Consumer<ServedCall> runner,
            RpcDispatcher dispatcher,
            Bindings bindings,
            SimWorld world,
            RandomGenerator random) {
        Runnable execution =
                () -> {
                    try {
                        responder.ended(
                                call,
                                call.execution()
                                        .run(dispatcher, bindings, NOWHERE, Optional.empty()));
                        run(responder, runner);
                    } catch (InterruptedException impossible) {
                        throw new AssertionError(impossible);
                    }
                };
        if (random.nextBoolean()) {
            execution.run();
        } else {
            world.after(random.nextLong(200_000), execution);
        }
    }

    /**
     * Connects, and has both ends go on by turns from then on, the passive one first.
     *
     * @return what the passive end said
     */
    byte[] connect(SimWorld world, SimulatedEnd passive) throws Exception {
        var listener = world.provider().listen(ANYWHERE);
        world.agent(
                () -> {
                    passive.accept(listener);
                    passive.turn();
                    turn();
                });
        return pair.connect(listener.address(), privateData, LONG);
    }

    private void accept(Listener listener) {
        try {
            var request = listener.accept(Duration.ZERO);
            if (request.isPresent()) {
                request.get().accept(pair, privateData);
            }
        } catch (RdmaException | InterruptedException broken) {
            throw new AssertionError(broken);
        }
    }

    private void turn() {
        var completions = new ArrayList<Completion>();
        try {
            queue.poll(completions, 0);
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
        completed.accept(completions);
    }
}
