package io.github.rpcrdma4j.rdmacore;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.Completion.Operation;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.ConnectRequest;
import io.github.rpcrdma4j.verbs.MemoryRegion;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;

/** One side of a connection on an adapter, with all its completions. */
final class AdapterEnd implements AutoCloseable {
    static final Duration SETUP = Duration.ofSeconds(30);
    static final int DEPTH = 16;
    private static final long PATIENCE_NANOS = 60_000_000_000L;
    private static final long TURN_NANOS = 1_000_000;

    final AdapterDomain domain;
    final CompletionQueue queue;
    final AdapterQueuePair queuePair;
    final List<Completion> completed = new ArrayList<>();

    AdapterEnd(RdmaCoreProvider provider) {
        this(provider, DEPTH, 2 * DEPTH);
    }

    AdapterEnd(RdmaCoreProvider provider, int sendQueueSize, int receiveQueueSize) {
        domain = (AdapterDomain) provider.allocateProtectionDomain();
        queue = provider.createCompletionQueue();
        queuePair =
                (AdapterQueuePair)
                        provider.createQueuePair(
                                new QueuePairOptions(
                                        domain, queue, sendQueueSize, receiveQueueSize, 4, 4, 4));
    }

    /** Returns any free port at the adapter's address. */
    static InetSocketAddress anyPort() {
        try {
            var host = InetAddress.getByName(System.getProperty("adapter.address"));
            return new InetSocketAddress(host, 0);
        } catch (UnknownHostException failure) {
            throw new IllegalArgumentException(failure);
        }
    }

    /** Answers the request of a side to connect. */
    interface Answer {
        void to(ConnectRequest request) throws RdmaException;
    }

    /** Connects to another side. */
    void connect(RdmaCoreProvider provider, AdapterEnd passive) throws Exception {
        connect(provider, request -> request.accept(passive.queuePair, new byte[0]));
    }

    /** Connects to a listener that answers once. */
    void connect(RdmaCoreProvider provider, Answer answer) throws Exception {
        try (var listener = provider.listen(anyPort());
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var answered =
                    threads.submit(
                            () -> {
                                answer.to(listener.accept(SETUP).orElseThrow());
                                return null;
                            });
            try {
                queuePair.connect(listener.address(), new byte[0], SETUP);
            } catch (RdmaException failed) {
                if (answered.state() == Future.State.FAILED) {
                    failed.addSuppressed(answered.exceptionNow());
                }
                throw failed;
            }
            answered.get();
        }
    }

    void send(MemoryRegion region) {
        queuePair.post(List.of(new WorkRequest.Send(1, List.of(Sge.of(region)))));
    }

    void receive(MemoryRegion region) {
        queuePair.postReceive(1, region, 0, region.length());
    }

    void write(MemoryRegion source, int handle, long address) {
        queuePair.post(List.of(new WorkRequest.Write(1, List.of(Sge.of(source)), handle, address)));
    }

    /** Waits for one more completion of a kind, which must be a success. */
    void next(Operation operation) throws InterruptedException {
        await(() -> completed.stream().anyMatch(each -> each.operation() == operation));
        for (var each : completed) {
            if (each.operation() == operation) {
                completed.remove(each);
                assertTrue(each.succeeded(), each::toString);
                return;
            }
        }
    }

    /** Polls until a condition is met. */
    void await(BooleanSupplier wanted) throws InterruptedException {
        long start = System.nanoTime();
        while (!wanted.getAsBoolean()) {
            queue.poll(completed, TURN_NANOS);
            if (System.nanoTime() - start > PATIENCE_NANOS) {
                fail("the condition was not met: " + queuePair.state() + " " + completed);
            }
        }
    }

    @Override
    public void close() {
        queuePair.close();
        queue.close();
        domain.close();
    }
}
