package io.github.rpcrdma4j.rpcrdma;

import io.github.rpcrdma4j.oncrpc.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.connect.Endpoint;
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

    private static final Duration LONG = Duration.ofSeconds(1);
    private static final InetSocketAddress ANYWHERE =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    /** An end of ours that takes its completions one by one, or all at once, as chance has it. */
    static SimulatedEnd of(
            Endpoint endpoint, byte[] privateData, CompletionQueue queue, RandomGenerator random) {
        return new SimulatedEnd(
                endpoint.queuePair(),
                privateData,
                queue,
                completions -> {
                    if (random.nextBoolean()) {
                        completions.forEach(endpoint::completed);
                    } else {
                        endpoint.completed(completions, 0, completions.size());
                    }
                });
    }

    /** Carries a call out: now, or after a time, as chance has it. */
    static void serve(
            ServedCall call,
            Responder responder,
            RpcDispatcher dispatcher,
            Bindings bindings,
            SimWorld world,
            RandomGenerator random) {
        Runnable execution =
                () -> {
                    try {
                        responder.ended(
                                call,
                                call.execute(dispatcher, bindings, NOWHERE, Optional.empty()));
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
