package io.github.rpcrdma4j.rdmacore;

import io.github.rpcrdma4j.verbs.Completion.Operation;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.MemoryRegion;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;

/**
 * Measures Sends of the provider as {@code ib_send_bw} and {@code ib_send_lat} do, and what a
 * registration costs. Only {@code interop/adapters} runs it.
 *
 * <p>Arguments: {@code bandwidth BYTES COUNT}, {@code latency BYTES COUNT} or {@code registration}.
 * Prints one line: MB/s (10^6 bytes), microseconds of one way, or microseconds for each length.
 */
final class AdapterSpeed {
    private static final int DEPTH = AdapterEnd.DEPTH;
    private static final int WARM_BYTES = 64;
    private static final int WARM_COUNT = 2000;
    private static final int REGISTRATIONS = 200;

    private AdapterSpeed() {}

    public static void main(String[] arguments) throws Exception {
        var out = System.out;
        switch (arguments[0]) {
            case "bandwidth" -> {
                int bytes = Integer.parseInt(arguments[1]);
                int count = Integer.parseInt(arguments[2]);
                // The first runs compile the code.
                bandwidth(WARM_BYTES, WARM_COUNT);
                bandwidth(bytes, count / 4);
                out.printf(Locale.ROOT, "%.2f%n", bandwidth(bytes, count));
            }
            case "latency" -> {
                int bytes = Integer.parseInt(arguments[1]);
                int count = Integer.parseInt(arguments[2]);
                latency(bytes, WARM_COUNT);
                out.printf(Locale.ROOT, "%.2f%n", latency(bytes, count));
            }
            case "registration" -> registrations(out);
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    /** One side of a connection, with counts of its completions. */
    private record Side(AdapterEnd end, long[] counts) implements AutoCloseable {
        Side(RdmaCoreProvider provider) {
            this(new AdapterEnd(provider), new long[2]);
        }

        long sent() {
            return counts[0];
        }

        long received() {
            return counts[1];
        }

        void poll() throws InterruptedException {
            end.completed.clear();
            end.queue.poll(end.completed, CompletionQueue.FOREVER);
            for (var each : end.completed) {
                if (!each.succeeded()) {
                    throw new IllegalStateException(each.toString());
                }
                counts[each.operation() == Operation.SEND ? 0 : 1]++;
            }
        }

        @Override
        public void close() {
            end.close();
        }
    }

    private static <T> T connected(Work<T> work) throws Exception {
        var provider = new RdmaCoreProvider();
        try (var active = new Side(provider);
                var passive = new Side(provider);
                var threads = Executors.newCachedThreadPool()) {
            active.end.connect(provider, passive.end);
            return work.run(active, passive, threads::submit);
        }
    }

    private interface Work<T> {
        T run(Side active, Side passive, Threads threads) throws Exception;
    }

    private interface Threads {
        Future<?> start(Callable<?> code);
    }

    private static double bandwidth(int bytes, int count) throws Exception {
        return connected(
                (active, passive, threads) -> {
                    var source = active.end.domain.register(Arena.ofAuto().allocate(bytes));
                    var sink = passive.end.domain.register(Arena.ofAuto().allocate(bytes));
                    // As with credits, no message is sent without a receive for it.
                    var receives = new Semaphore(2 * DEPTH);
                    for (int i = 0; i < 2 * DEPTH; i++) {
                        passive.end.receive(sink);
                    }
                    var receiving = threads.start(() -> receiveAll(passive, sink, receives, count));
                    long start = System.nanoTime();
                    for (long i = 0; i < count; i++) {
                        while (i - active.sent() >= DEPTH) {
                            active.poll();
                        }
                        receives.acquire();
                        active.end.send(source);
                    }
                    while (active.sent() < count) {
                        active.poll();
                    }
                    receiving.get();
                    return (double) bytes * count / (System.nanoTime() - start) * 1000;
                });
    }

    private static Void receiveAll(Side side, MemoryRegion sink, Semaphore receives, int count)
            throws InterruptedException {
        long before = 0;
        while (side.received() < count) {
            side.poll();
            int more = (int) (side.received() - before);
            before = side.received();
            for (int i = 0; i < more; i++) {
                side.end.receive(sink);
            }
            receives.release(more);
        }
        return null;
    }

    private static double latency(int bytes, int count) throws Exception {
        return connected(
                (active, passive, threads) -> {
                    var own = active.end.domain.register(Arena.ofAuto().allocate(bytes));
                    var other = passive.end.domain.register(Arena.ofAuto().allocate(bytes));
                    active.end.receive(own);
                    passive.end.receive(other);
                    var answering = threads.start(() -> answerAll(passive, other, count));
                    long[] nanos = new long[count];
                    for (int i = 0; i < count; i++) {
                        long start = System.nanoTime();
                        active.end.send(own);
                        while (active.received() <= i) {
                            active.poll();
                        }
                        nanos[i] = System.nanoTime() - start;
                        active.end.receive(own);
                        while (active.sent() <= i) {
                            active.poll();
                        }
                    }
                    answering.get();
                    Arrays.sort(nanos);
                    return nanos[count / 2] / 2000.0;
                });
    }

    private static Void answerAll(Side side, MemoryRegion region, int count)
            throws InterruptedException {
        for (int i = 0; i < count; i++) {
            while (side.received() <= i) {
                side.poll();
            }
            side.end.receive(region);
            side.end.send(region);
            while (side.sent() <= i) {
                side.poll();
            }
        }
        return null;
    }

    /** Prints what it takes to register memory and to end that, without and with keeping it. */
    private static void registrations(PrintStream out) {
        var domain = (AdapterDomain) new RdmaCoreProvider().allocateProtectionDomain();
        try (var arena = Arena.ofShared()) {
            for (int bytes : new int[] {4 << 10, 64 << 10, 1 << 20}) {
                var memory = arena.allocate(bytes, 4096);
                double once = median(() -> domain.registerOnce(memory).close());
                double kept = median(() -> domain.register(memory).close());
                out.printf(Locale.ROOT, "%d bytes: %.1f us, kept %.1f us%n", bytes, once, kept);
            }
        } finally {
            domain.close();
        }
    }

    private static double median(Runnable work) {
        long[] nanos = new long[REGISTRATIONS];
        for (int i = 0; i < REGISTRATIONS; i++) {
            long start = System.nanoTime();
            work.run();
            nanos[i] = System.nanoTime() - start;
        }
        Arrays.sort(nanos);
        return nanos[REGISTRATIONS / 2] / 1000.0;
    }
}
