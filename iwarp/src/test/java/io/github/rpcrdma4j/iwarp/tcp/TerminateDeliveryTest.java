package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.Completion.Status;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests which failure each side reports when a connection ends while much work is outstanding. */
class TerminateDeliveryTest {
    private static final byte[] NOTHING = {};
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final int LENGTH = 1 << 20;
    private static final int SHORT = 1000;
    private static final int COUNT = 32;

    private final IwarpProvider provider = new IwarpProvider();

    private final class Side {
        private final ProtectionDomain domain = provider.allocateProtectionDomain();
        private final CompletionQueue queue = provider.createCompletionQueue();
        private final QueuePair queuePair =
                provider.createQueuePair(new QueuePairOptions(domain, queue, 64, 4, 16, 16, 1));
        private final List<Completion> completed = new ArrayList<>();

        private Sge element(long length) {
            return Sge.of(domain.register(Arena.ofAuto().allocate(length)));
        }

        private void close() {
            queuePair.close();
            domain.close();
            queue.close();
        }
    }

    private final Side client = new Side();
    private final Side server = new Side();

    @BeforeEach
    void connect() throws Exception {
        try (var listener =
                        provider.listen(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var accepted =
                    threads.submit(
                            () -> {
                                listener.accept(LONG)
                                        .orElseThrow()
                                        .accept(server.queuePair, NOTHING);
                                return null;
                            });
            client.queuePair.connect(listener.address(), NOTHING, LONG);
            accepted.get();
        }
    }

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    private void awaitTheEnd() throws Exception {
        long start = System.nanoTime();
        while (client.queuePair.state() == QueuePair.State.READY
                || server.queuePair.state() == QueuePair.State.READY) {
            server.queue.poll(server.completed, TURN_NANOS);
            client.queue.poll(client.completed, TURN_NANOS);
            assertTrue(System.nanoTime() - start < PATIENCE_NANOS);
        }
        client.queue.poll(client.completed, 0);
    }

    @Test
    @Tag("5040-5.4-2")
    void reachesASideThatIsStillWriting() throws Exception {
        var memory = List.of(client.element(LENGTH));
        for (int i = 0; i < COUNT; i++) {
            client.queuePair.post(List.of(new WorkRequest.Write(i, memory, 4711, 0)));
        }
        awaitTheEnd();
        assertEquals(
                "the peer ended the connection and says of this side:"
                        + " it wrote with an invalid handle",
                client.queuePair.failure().orElseThrow());
        assertEquals(COUNT, client.completed.size());
    }

    @Test
    @Tag("5040-5.4-2")
    void namesTheReadThatWasRefused() throws Exception {
        var exposed = server.element(SHORT).region();
        var source = server.queuePair.bind(exposed, 0, SHORT, Set.of(Access.REMOTE_READ));
        var sink = client.element(SHORT);
        var requests = new ArrayList<WorkRequest>();
        for (int i = 0; i < COUNT; i++) {
            long wrong = i == 5 ? 1 : 0;
            requests.add(new WorkRequest.Read(i, sink, source.handle(), source.address() + wrong));
        }
        client.queuePair.post(requests);
        awaitTheEnd();
        assertEquals(
                "the peer ended the connection and says of this side: it read outside of a region",
                client.queuePair.failure().orElseThrow());
        assertEquals(COUNT, client.completed.size());
        long refused =
                client.completed.stream()
                        .filter(each -> each.status() == Status.REMOTE_ACCESS_ERROR)
                        .count();
        assertEquals(1, refused);
    }
}
