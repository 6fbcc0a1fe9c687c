package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.MessageSends;
import io.github.rpcrdma4j.rpcrdma.wire.Received.MessageRole;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.Signal;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Goal: an endpoint always has a receive posted, and notices every end of its connection. */
class EndpointInAWorldTest {
    private static final int SIZE = 1024;

    private final HostileEnd end = new HostileEnd(1, 2);
    private final List<Integer> postedAtSends = new ArrayList<>();
    private final List<Signal> signals = new ArrayList<>();
    private final List<OptionalInt> invalidations = new ArrayList<>();
    private final List<String> lost = new ArrayList<>();
    private Endpoint endpoint;

    /** A role that answers every message with an error. */
    private final class Grumbler implements Endpoint.Role {
        @Override
        public void received(SegmentPool.Lease buffer, Completion completion) {
            buffer.close();
            endpoint.messageSends()
                    .queueAnswer(new Version1Header.ChunkError(7, 1, 1), endpoint::postReceive);
        }

        @Override
        public void lost(String reason) {
            lost.add(reason);
        }
    }

    @BeforeEach
    void connect() throws Exception {
        var pair =
                new WatchedPair(
                        end.queuePair,
                        requests -> {
                            postedAtSends.add(endpoint.postedReceives());
                            signals.add(requests.getLast().signal());
                            requests.forEach(this::noteInvalidation);
                        });
        endpoint = new Endpoint(end.memory(pair), SIZE, () -> {});
        endpoint.attach(MessageRole.RESPONDER, new Grumbler());
        end.accept(new byte[0], new byte[0], endpoint::completed);
    }

    private void noteInvalidation(WorkRequest request) {
        if (request instanceof WorkRequest.Send send) {
            invalidations.add(send.invalidate());
        }
    }

    @AfterEach
    void checkNothingLeaks() {
        endpoint.close("the test is over");
        end.close();
        assertEquals(0, end.pool.leased());
        assertEquals(0, end.world.openQueuePairs());
    }

    /** Goal: the endpoint is ready for the message that a peer may send after it sees the error. */
    @Test
    @Tag("8166-3.3.1-7")
    void postsAReceiveBeforeAnErrorLeaves() {
        endpoint.postReceive();
        for (int i = 0; i < 50; i++) {
            end.send(new byte[100], OptionalInt.empty());
        }
        assertTrue(end.isUp());
        assertEquals(50, end.received.size());
        assertEquals(List.of(1), postedAtSends.stream().distinct().toList());
    }

    /** Goal: a peer that sends too much and does not read gets no more receives. */
    @Test
    void queuesErrorsThatThePeerDoesNotReceive() {
        for (int i = 0; i < 20; i++) {
            endpoint.messageSends()
                    .queueAnswer(
                            new Version1Header.ChunkError(7, 1, 1), () -> lost.add("a receive"));
        }
        // The last error that is sent at once is signaled, because the next one waits for it.
        assertEquals(Signal.SIGNALED, signals.getLast());
        int atOnce = postedAtSends.size();
        assertTrue(atOnce < 20, () -> atOnce + " at once");
        assertEquals(atOnce, lost.size());
        end.world.settle();
        assertEquals(20, postedAtSends.size());
        assertEquals(20, lost.size());
        lost.clear();
    }

    /**
     * Goal: a Send that other work waits for is signaled, so that its completion wakes a thread.
     * Method: other work waits for the second of three Sends.
     */
    @Test
    void wakesAThreadAtTheEndOfWhatSomethingWaitsFor() {
        for (int i = 0; i < 3; i++) {
            if (i == 1) {
                endpoint.wakeAfterNext();
            }
            var lease = end.pool.lease(16);
            var send = endpoint.memory().send(lease.slab().segment(), 0, 16);
            endpoint.post(List.of(send), _ -> lease.close());
        }
        assertEquals(List.of(Signal.QUIET, Signal.SIGNALED, Signal.QUIET), signals);
    }

    /** Goal: a message invalidates a handle once, and only when all of it has arrived. */
    @Test
    void onlyTheLastSendOfAMessageInvalidatesAHandle() {
        var send = new MessageSends.OutgoingSend(new Version1Header.ChunkError(7, 1, 1), List.of());
        var handle = OptionalInt.of(42);
        endpoint.messageSends().post(List.of(), List.of(send, send, send), handle, () -> {});
        assertEquals(List.of(OptionalInt.empty(), OptionalInt.empty(), handle), invalidations);
    }

    /** Goal: an endpoint notices the end of a connection that no completion reports. */
    @Test
    void noticesAnEndWithNothingPosted() {
        end.leave();
        assertEquals(QueuePair.State.ERROR, end.queuePair.state());
        assertFalse(endpoint.isClosed());
        endpoint.postReceive();
        endpoint.flush();
        assertTrue(endpoint.isClosed());
        assertEquals(List.of("the peer closed the connection"), lost);
    }
}
