package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.Completion.Status;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FailingTapTest {
    private static final String REQUEST = "1002000400800000";
    private static final int SET_UP_BYTES = 30;
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final Duration LONG = Duration.ofSeconds(20);

    /** Fails on the send of a Terminate, which is longer than a set-up frame. */
    private static final IwarpTap.Wire FAILING =
            new IwarpTap.Wire() {
                @Override
                public void sent(ByteBuffer bytes) {
                    if (bytes.remaining() > SET_UP_BYTES) {
                        throw new IllegalStateException("the tap failed");
                    }
                }

                @Override
                public void received(ByteBuffer bytes) {}

                @Override
                public void closed() {}
            };

    /** Goal: a connection ends completely, even if its Terminate cannot be sent. */
    @Test
    void aConnectionEndsEvenIfItsTerminateFails() throws Exception {
        var options = IwarpOptions.DEFAULT.withCrc(false).withTap((_, _, _) -> FAILING);
        var provider = new IwarpProvider(options);
        var loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        List<Completion> completed = new ArrayList<>();
        try (var domain = provider.allocateProtectionDomain();
                var queue = provider.createCompletionQueue();
                var queuePair =
                        provider.createQueuePair(
                                new QueuePairOptions(domain, queue, 4, 4, 4, 4, 1));
                var listener = provider.listen(loopback);
                var peer = RawPeer.connect(listener.address())) {
            queuePair.postReceive(1, domain.register(Arena.ofAuto().allocate(8)), 0, 8);
            peer.send(RawPeer.setUp("Req", REQUEST));
            listener.accept(LONG).orElseThrow().accept(queuePair, new byte[0]);
            peer.receiveSetUp();
            peer.send(new Frames(false).write(4711, 0, true, new byte[4]).bytes());
            long start = System.nanoTime();
            while (queuePair.state() != QueuePair.State.ERROR) {
                queue.poll(completed, TURN_NANOS);
                assertTrue(System.nanoTime() - start < LONG.toNanos());
            }
            queue.poll(completed, 0);
            peer.receive();
            assertTrue(peer.isAtEnd());
            assertEquals(
                    "internal error: java.lang.IllegalStateException: the tap failed",
                    queuePair.failure().orElseThrow());
            assertEquals(
                    List.of(Status.FLUSHED),
                    completed.stream().map(each -> each.status()).toList());
        }
    }
}
