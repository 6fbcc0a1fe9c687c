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
 * One end of a connection in a simulated world. It has its turn after every event.
 *
 * @param privateData the private data that it sends
 * @param queue the completion queue of its queue pair
 * @param completed accepts its completions
 */
record SimulatedEnd(
        QueuePair pair,
        byte[] privateData,
        CompletionQueue queue,
        Consumer<List<Completion>> completed) {
    /** An address for code that needs one and does not connect to it. */
    static final InetSocketAddress NOWHERE =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);

    /** The reason of an end that closes its connection in the middle of a run. */
    static final String LEFT = "the test leaves";

    private static final String LOST = "the connection was lost";
    private static final String CLOSED = "the peer closed the connection";
    private static final String TOLD =
            "the peer ended the connection: the peer (read|wrote) where it must not";

    private static final Duration LONG = Duration.ofSeconds(1);
    private static final InetSocketAddress ANYWHERE =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    /**
     * Returns an end that handles its completions one by one or all at once, at random. Now and
     * then it handles them after a delay.
     *
     * @param handled runs after each handled batch of completions
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

    /** Handles the completions of an endpoint, and pauses at random. */
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
     * Checks that a connection is up, or was lost for an expected reason. A message that found no
     * posted receive, for example, is not expected (RFC 8166, Section 3.3.1).
     *
     * @param faulty whether the run loses or closes connections at random
     * @param cancelled whether calls were cancelled: operations of the peer for them may then fail
     */
    static void checkReason(Endpoint endpoint, boolean faulty, boolean cancelled) {
        if (endpoint.isClosed()) {
            var reason = endpoint.loss().words();
            // The end that gave up a call blames itself, and neither end blames the other.
            boolean expected =
                    faulty && List.of(LOST, CLOSED, LEFT).contains(reason)
                            || cancelled
                                    && (endpoint.loss() instanceof ConnectionLoss.CallGivenUp
                                            || CLOSED.equals(reason)
                                            || reason.matches(TOLD));
            assertTrue(expected, reason);
        }
    }

    /** Passes all ready calls to a runner. */
    static void run(Responder responder, Consumer<ServedCall> runner) {
        for (var call = responder.next(); call != null; call = responder.next()) {
            runner.accept(call);
        }
    }

    /**
     * Carries a call out at once, or after a random time. It may pass its arguments on before.
     *
     * @param runner runs the calls that waited for the end of this one
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
                                        .run(
                                                dispatcher,
                                                bindings,
                                                NOWHERE,
                                                Optional.empty(),
                                                () -> {}));
                        run(responder, runner);
                    } catch (InterruptedException impossible) {
                        throw new AssertionError(impossible);
                    }
                };
        if (random.nextBoolean()) {
            execution.run();
        } else {
            long time = random.nextLong(200_000);
            if (random.nextBoolean()) {
                world.after(time / 2, () -> passOn(call, responder, runner));
            }
            world.after(time, execution);
        }
    }

    private static void passOn(ServedCall call, Responder responder, Consumer<ServedCall> runner) {
        if (call.passedOn()) {
            responder.resume();
            run(responder, runner);
        }
    }

    /**
     * Connects. From then on both ends take turns, the passive end first.
     *
     * @return the private data of the passive end
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
