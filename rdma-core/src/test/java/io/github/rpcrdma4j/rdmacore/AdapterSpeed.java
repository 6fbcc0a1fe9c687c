package io.github.rpcrdma4j.rdmacore;

import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.Completion.Operation;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.MemoryRegion;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Measures Sends of the provider as {@code ib_send_bw} and {@code ib_send_lat} do, and what a
 * registration costs. Only {@code interop/adapters} runs it.
 *
 * <p>Arguments: {@code bandwidth BYTES COUNT}, {@code latency BYTES COUNT} or {@code registration}.
 * Prints one line: MB/s (10^6 bytes), microseconds of one way, or microseconds for each length.
 */
final class AdapterSpeed {
    private static final Duration SETUP = Duration.ofSeconds(30);
    private static final int DEPTH = 16;
    private static final int REGISTRATIONS = 200;

    private AdapterSpeed() {}

    public static void main(String[] arguments) throws Exception {
        var out = System.out;
        switch (arguments[0]) {
            case "bandwidth" -> {
                int bytes = Integer.parseInt(arguments[1]);
                int count = Integer.parseInt(arguments[2]);
                // The first run compiles the code.
                bandwidth(bytes, count);
                out.printf(Locale.ROOT, "%.2f%n", bandwidth(bytes, count));
            }
            case "latency" -> {
                int bytes = Integer.parseInt(arguments[1]);
                int count = Integer.parseInt(arguments[2]);
                out.printf(Locale.ROOT, "%.2f%n", latency(bytes, count));
            }
            case "registration" -> registrations(out);
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    /** One side of a connection. */
    private static final class Side implements AutoCloseable {
        final AdapterDomain domain;
        final CompletionQueue queue;
        final AdapterQueuePair queuePair;
        private final List<Completion> completed = new ArrayList<>();
        private long sent;
        private long received;

        Side(RdmaCoreProvider provider) {
            domain = (AdapterDomain) provider.allocateProtectionDomain();
            queue = provider.createCompletionQueue();
            queuePair =
                    (AdapterQueuePair)
                            provider.createQueuePair(
                                    new QueuePairOptions(domain, queue, DEPTH, 2 * DEPTH, 1, 1, 1));
        }

        void poll() throws InterruptedException {
            completed.clear();
            queue.poll(completed, CompletionQueue.FOREVER);
            for (var each : completed) {
                if (!each.succeeded()) {
                    throw new IllegalStateException(each.toString());
                }
                sent += each.operation() == Operation.SEND ? 1 : 0;
                received += each.operation() == Operation.RECEIVE ? 1 : 0;
            }
        }

        void send(MemoryRegion region) {
            queuePair.post(List.of(new WorkRequest.Send(1, List.of(Sge.of(region)))));
        }

        void receive(MemoryRegion region) {
            queuePair.postReceive(1, region, 0, region.length());
        }

        @Override
        public void close() {
            queuePair.close();
            queue.close();
            domain.close();
        }
    }

    private static <T> T connected(Work<T> work) throws Exception {
        var provider = new RdmaCoreProvider();
        var host = InetAddress.getByName(System.getProperty("adapter.address"));
        try (var active = new Side(provider);
                var passive = new Side(provider);
                var listener = provider.listen(new InetSocketAddress(host, 0));
                var threads = Executors.newCachedThreadPool()) {
            var accepted =
                    threads.submit(
                            () -> {
                                var request = listener.accept(SETUP).orElseThrow();
                                request.accept(passive.queuePair, new byte[0]);
                                return null;
                            });
            active.queuePair.connect(listener.address(), new byte[0], SETUP);
            accepted.get();
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
                    var source = active.domain.register(Arena.ofAuto().allocate(bytes));
                    var sink = passive.domain.register(Arena.ofAuto().allocate(bytes));
                    int posted = Math.min(count, 2 * DEPTH);
                    for (int i = 0; i < posted; i++) {
                        passive.receive(sink);
                    }
                    var receiving = threads.start(() -> receiveAll(passive, sink, posted, count));
                    long start = System.nanoTime();
                    for (long i = 0; i < count; i++) {
                        while (i - active.sent >= DEPTH) {
                            active.poll();
                        }
                        active.send(source);
                    }
                    while (active.sent < count) {
                        active.poll();
                    }
                    receiving.get();
                    return (double) bytes * count / (System.nanoTime() - start) * 1000;
                });
    }

    private static Void receiveAll(Side side, MemoryRegion sink, int first, int count)
            throws InterruptedException {
        long posted = first;
        while (side.received < count) {
            side.poll();
            for (; posted < Math.min(count, side.received + 2 * DEPTH); posted++) {
                side.receive(sink);
            }
        }
        return null;
    }

    private static double latency(int bytes, int count) throws Exception {
        return connected(
                (active, passive, threads) -> {
                    var own = active.domain.register(Arena.ofAuto().allocate(bytes));
                    var other = passive.domain.register(Arena.ofAuto().allocate(bytes));
                    active.receive(own);
                    passive.receive(other);
                    var answering = threads.start(() -> answerAll(passive, other, count));
                    long[] nanos = new long[count];
                    for (int i = 0; i < count; i++) {
                        long start = System.nanoTime();
                        active.send(own);
                        while (active.received <= i) {
                            active.poll();
                        }
                        nanos[i] = System.nanoTime() - start;
                        active.receive(own);
                        while (active.sent <= i) {
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
            while (side.received <= i) {
                side.poll();
            }
            side.receive(region);
            side.send(region);
            while (side.sent <= i) {
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
