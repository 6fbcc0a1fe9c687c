package io.github.rpcrdma4j.bench.stack;

import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;

/**
 * Threads that each make one call at a time, so that a blocking stack has many outstanding calls.
 */
public final class CallLoops {
    private CallLoops() {}

    /**
     * Makes calls until the meter's round is over, each slot in a thread of its own.
     *
     * @param calls returns the call of a slot
     */
    public static void run(Meter meter, IntFunction<Session.Call> calls) throws Exception {
        var prepared = new ArrayList<Session.Call>();
        for (int i = 0; i < meter.slots(); i++) {
            prepared.add(calls.apply(i));
        }
        meter.start();
        if (prepared.size() == 1) {
            loop(meter.slot(0), prepared.getFirst());
        } else {
            runAll(meter, prepared);
        }
        meter.stop();
    }

    private static void runAll(Meter meter, ArrayList<Session.Call> calls) throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var futures = new ArrayList<Future<Void>>();
            for (int i = 0; i < calls.size(); i++) {
                var slot = meter.slot(i);
                var call = calls.get(i);
                Callable<Void> loop =
                        () -> {
                            loop(slot, call);
                            return null;
                        };
                futures.add(threads.submit(loop));
            }
            for (var future : futures) {
                future.get();
            }
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof Exception cause ? cause : failed;
        }
    }

    private static void loop(Meter.Slot slot, Session.Call call) throws Exception {
        slot.begin();
        do {
            call.make();
        } while (slot.next());
    }
}
