package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ManyConnectionsTest {
    private static final int COUNT = 1000;
    private static final byte[] NOTHING = {};
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** Each side has one completion queue. Each connection carries one Send, and then all close. */
    @Test
    void carriesAThousandConnectionsOnTwoCompletionQueues() throws Exception {
        var provider = new IwarpProvider();
        var domain = provider.allocateProtectionDomain();
        try (var listener =
                        provider.listen(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                var clients = provider.createCompletionQueue();
                var servers = provider.createCompletionQueue();
                var threads = Executors.newVirtualThreadPerTaskExecutor();
                var arena = Arena.ofShared()) {
            var accepted = new ArrayList<QueuePair>();
            var connected = new ArrayList<QueuePair>();
            var accepting =
                    threads.submit(
                            () -> {
                                while (accepted.size() < COUNT) {
                                    var queuePair =
                                            provider.createQueuePair(
                                                    new QueuePairOptions(
                                                            domain, servers, 2, 2, 1, 1, 1));
                                    var buffer = domain.register(arena.allocate(16));
                                    queuePair.postReceive(1, buffer, 0, 16);
                                    listener.accept(LONG).orElseThrow().accept(queuePair, NOTHING);
                                    accepted.add(queuePair);
                                }
                                return null;
                            });
            for (int i = 0; i < COUNT; i++) {
                var queuePair =
                        provider.createQueuePair(
                                new QueuePairOptions(domain, clients, 2, 2, 1, 1, 1));
                queuePair.connect(listener.address(), NOTHING, LONG);
                connected.add(queuePair);
            }
            accepting.get();
            var message = List.of(Sge.of(domain.register(arena.allocate(12))));
            for (var queuePair : connected) {
                queuePair.post(List.of(new WorkRequest.Send(7, message)));
            }
            var completed = new ArrayList<Completion>();
            long start = System.nanoTime();
            while (completed.size() < COUNT) {
                servers.poll(completed, PATIENCE_NANOS);
                assertTrue(System.nanoTime() - start < PATIENCE_NANOS);
            }
            var whose = new HashSet<QueuePair>();
            for (var each : completed) {
                assertEquals(12, each.length());
                whose.add(each.queuePair());
            }
            assertEquals(COUNT, whose.size());
            connected.forEach(QueuePair::close);
            while (accepted.stream().anyMatch(each -> each.state() == QueuePair.State.READY)) {
                servers.poll(completed, PATIENCE_NANOS / 1000);
                assertTrue(System.nanoTime() - start < PATIENCE_NANOS);
            }
            assertTrue(accepted.stream().allMatch(each -> each.failure().isEmpty()));
            accepted.forEach(QueuePair::close);
        }
        domain.close();
    }
}
