package io.github.rpcrdma4j.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.rdmacore.library.Errno;
import io.github.rpcrdma4j.rdmacore.library.Verbs;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.Completion.Operation;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.QueuePair.State;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Goal: connections leave nothing behind, however they end. Only {@code interop/adapters} runs it.
 */
class AdapterConnections {
    private static final int CONNECTIONS = Integer.getInteger("adapter.connections", 1000);
    private static final int LENGTH = 4096;

    /** How long the kernel repeats the message that ends a connection, and some more. */
    private static final long END_NANOS = TimeUnit.SECONDS.toNanos(100);

    private final RdmaCoreProvider provider = new RdmaCoreProvider();

    @BeforeAll
    static void requireAdapter() {
        assumeTrue(Adapter.unusable().isEmpty(), () -> Adapter.unusable().orElseThrow());
    }

    /** The ways in which a connection ends. */
    private enum Way {
        ACTIVE_CLOSES,
        PASSIVE_CLOSES,
        VIOLATION,
        REJECTED
    }

    @Test
    void manyConnectionsLeaveNothing() throws Exception {
        for (var way : Way.values()) {
            connectAndEnd(way);
        }
        awaitEnds();
        var resources = resources();
        long descriptors = descriptors();
        for (int i = 0; i < CONNECTIONS; i++) {
            connectAndEnd(Way.values()[i % Way.values().length]);
        }
        awaitEnds();
        assertEquals(resources, resources());
        assertEquals(descriptors, descriptors());
    }

    /** Waits until the peers of all connections know that these have ended. */
    private static void awaitEnds() {
        long start = System.nanoTime();
        while (!resources().contains(" cm_id 0 ")) {
            assertTrue(System.nanoTime() - start < END_NANOS, AdapterConnections::resources);
        }
    }

    private void connectAndEnd(Way way) throws Exception {
        try (var active = new AdapterEnd(provider);
                var passive = new AdapterEnd(provider)) {
            if (way == Way.REJECTED) {
                assertThrows(
                        RdmaException.class,
                        () -> active.connect(provider, request -> request.reject(new byte[0])));
                return;
            }
            var memory = Arena.ofAuto().allocate(LENGTH);
            var sink = passive.domain.register(memory);
            passive.receive(sink);
            active.connect(provider, passive);
            var source = active.domain.register(memory.asReadOnly());
            active.send(source);
            active.next(Operation.SEND);
            passive.next(Operation.RECEIVE);
            var window = passive.queuePair.bind(sink, 0, LENGTH, Set.of(Access.REMOTE_WRITE));
            active.write(source, window.handle(), window.address());
            active.next(Operation.WRITE);
            switch (way) {
                case ACTIVE_CLOSES -> active.queuePair.close();
                case PASSIVE_CLOSES -> passive.queuePair.close();
                case VIOLATION -> active.write(source, window.handle(), window.address() + LENGTH);
                case REJECTED -> throw new AssertionError("it has no connection");
            }
            active.await(() -> active.queuePair.state() == State.ERROR);
            passive.await(() -> passive.queuePair.state() == State.ERROR);
            window.invalidate();
        }
    }

    @Test
    void aQueuePairThatClosesWhileItConnectsEndsThatAndFlushesItsReceives() throws Exception {
        try (var active = new AdapterEnd(provider);
                var listener = provider.listen(AdapterEnd.anyPort());
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            active.receive(active.domain.register(Arena.ofAuto().allocate(LENGTH)));
            var connecting = threads.submit(() -> connect(active, listener));
            var unanswered = listener.accept(AdapterEnd.SETUP).orElseThrow();
            active.queuePair.close();
            var failure = assertThrows(ExecutionException.class, connecting::get);
            assertInstanceOf(RdmaException.ConnectionLost.class, failure.getCause());
            active.await(() -> !active.completed.isEmpty());
            assertEquals(Completion.Status.FLUSHED, active.completed.getFirst().status());
            unanswered.reject(new byte[0]);
        }
        awaitEnds();
    }

    private static byte[] connect(AdapterEnd end, Listener listener) throws Exception {
        return end.queuePair.connect(listener.address(), new byte[0], AdapterEnd.SETUP);
    }

    @Test
    void aListenerThatClosesLeavesNoRequest() throws Exception {
        var ends = new ArrayList<AdapterEnd>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var connecting = new ArrayList<Future<byte[]>>();
            try (var listener = provider.listen(AdapterEnd.anyPort())) {
                for (int i = 0; i < 20; i++) {
                    var end = new AdapterEnd(provider);
                    ends.add(end);
                    connecting.add(threads.submit(() -> connect(end, listener)));
                }
                listener.accept(AdapterEnd.SETUP).orElseThrow().reject(new byte[0]);
            }
            for (var each : connecting) {
                assertThrows(ExecutionException.class, each::get);
            }
        } finally {
            ends.forEach(AdapterEnd::close);
        }
        awaitEnds();
    }

    @Test
    void aRequestThatAQueuePairCannotAcceptMayStillBeAnswered() throws Exception {
        try (var active = new AdapterEnd(provider);
                var passive = new AdapterEnd(provider);
                var closed = new AdapterEnd(provider)) {
            closed.queuePair.close();
            active.connect(
                    provider,
                    request -> {
                        assertThrows(
                                IllegalStateException.class,
                                () -> request.accept(closed.queuePair, new byte[0]));
                        request.accept(passive.queuePair, new byte[0]);
                    });
            assertEquals(State.READY, active.queuePair.state());
        }
    }

    @Test
    void moreReceivesThanTheAdapterHasAreRefusedWithOneLine() {
        int limit = Adapter.all().getFirst().queueMax();
        try (var end = new AdapterEnd(provider)) {
            var tooMany =
                    assertThrows(
                            IllegalArgumentException.class,
                            () ->
                                    provider.createQueuePair(
                                            new QueuePairOptions(
                                                    end.domain, end.queue, 1, limit + 1, 1, 1, 1)));
            assertTrue(tooMany.getMessage().contains("at most " + limit + " receives"));
        }
    }

    /**
     * Goal: no completion queue is too small. Method: both queues are as long as the adapter has
     * them, and all receives complete before the other side polls.
     */
    @Test
    void theLongestQueuesHaveRoomForTheirCompletions() throws Exception {
        int limit = Adapter.all().getFirst().queueMax();
        try (var active = new AdapterEnd(provider, limit / 2, limit);
                var passive = new AdapterEnd(provider, limit / 2, limit);
                var sink = passive.domain.register(Arena.ofAuto().allocate(1));
                var source = active.domain.register(Arena.ofAuto().allocate(1))) {
            for (int i = 0; i < limit; i++) {
                passive.receive(sink);
            }
            active.connect(provider, passive);
            for (int i = 0; i < limit; i++) {
                active.send(source);
                active.next(Operation.SEND);
            }
            passive.await(() -> passive.completed.size() == limit);
            assertTrue(passive.completed.stream().allMatch(Completion::succeeded));
        }
    }

    /**
     * Goal: the event thread never waits for an event that is gone. The kernel drops the events of
     * what is destroyed, so poll(2) may announce an event that another thread ends before it is
     * read.
     */
    @Test
    void anEventThatIsGoneIsNotWaitedFor() {
        // The events of earlier connections are for the event thread.
        awaitEnds();
        var device = Devices.all().getFirst();
        long into = Arena.ofAuto().allocate(64, Long.BYTES).address();
        assertTimeoutPreemptively(
                Duration.ofSeconds(10),
                () -> {
                    var channel = device.completionChannel();
                    assertEquals(Errno.EAGAIN, Verbs.getCqEvent(channel, into, into + Long.BYTES));
                    assertEquals(Errno.EAGAIN, Verbs.getAsyncEvent(device.context, into));
                    assertEquals(Errno.EAGAIN, device.connectionChannel().take(into));
                });
    }

    private static String resources() {
        try {
            var process =
                    new ProcessBuilder("rdma", "resource", "show")
                            .redirectErrorStream(true)
                            .start();
            // The descriptors of this process are counted, too.
            try (var in = process.getInputStream();
                    var _ = process.getOutputStream()) {
                return new String(in.readAllBytes());
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static long descriptors() throws IOException {
        try (var all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }
}
