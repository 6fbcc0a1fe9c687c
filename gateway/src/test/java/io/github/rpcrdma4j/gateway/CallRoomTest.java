package io.github.rpcrdma4j.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.testing.Eventually;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Goal: all calls run at last, in bounded room, and no client takes it all. */
class CallRoomTest {
    private static final long BYTES = 1000;
    private static final int CALLS = 8;
    private static final Duration DEADLINE = Duration.ofSeconds(20);

    private final CallRoom room = new CallRoom(CALLS, BYTES);
    private final CallRoom.Share one = room.share(client(1));
    private final CallRoom.Share two = room.share(client(2));
    private final CallRoom.Share three = room.share(client(3));
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private static ClientAddress client(int number) {
        return ClientAddress.of(new InetSocketAddress("192.0.2." + number, 700));
    }

    @AfterEach
    void everythingIsGivenBack() {
        // A test that failed leaves calls that wait for ever.
        threads.shutdownNow();
        threads.close();
        assertEquals(0, room.calls());
        assertEquals(0, room.bytes());
        assertEquals(0, room.waiting());
        assertEquals(0, room.clients());
    }

    /** Starts a call, and returns when it waits. */
    private Future<Boolean> waiting(CallRoom.Share share, long bytes) {
        int before = room.waiting();
        var call = threads.submit(() -> share.take(bytes));
        Eventually.await(DEADLINE, () -> room.waiting() != before || call.isDone());
        assertFalse(call.isDone(), "the call does not wait");
        return call;
    }

    @Test
    void aClientGetsAsMuchAsItLeaves() throws Exception {
        assertTrue(one.take(250));
        assertTrue(one.take(250));
        var third = waiting(one, 1);
        assertTrue(two.take(250));
        var ofTwo = waiting(two, 1);
        assertTrue(three.take(125));
        assertEquals(875, room.bytes());
        two.give(250);
        assertTrue(ofTwo.get(20, TimeUnit.SECONDS));
        assertFalse(third.isDone());
        one.give(250);
        assertTrue(third.get(20, TimeUnit.SECONDS));
        one.give(250);
        one.give(1);
        two.give(1);
        three.give(125);
    }

    @Test
    void aClientGetsAsManyCallsAsItLeaves() throws Exception {
        for (int i = 0; i < CALLS / 2; i++) {
            assertTrue(one.take(0));
        }
        var more = waiting(one, 0);
        assertTrue(two.take(0));
        assertEquals(CALLS / 2 + 1, room.calls());
        assertFalse(more.isDone());
        two.give(0);
        assertFalse(more.isDone());
        one.give(0);
        assertTrue(more.get(20, TimeUnit.SECONDS));
        for (int i = 0; i < CALLS / 2; i++) {
            one.give(0);
        }
    }

    /** Goal: a call that wants more than a client may have runs nevertheless, alone. */
    @Test
    void aLongCallCountsAsHalf() throws Exception {
        assertTrue(one.take(10 * BYTES));
        assertEquals(BYTES / 2, room.bytes());
        var next = waiting(one, 10 * BYTES);
        assertTrue(two.take(10 * BYTES));
        var last = waiting(three, 1);
        one.give(10 * BYTES);
        assertTrue(next.get(20, TimeUnit.SECONDS));
        assertFalse(last.isDone());
        two.give(10 * BYTES);
        assertTrue(last.get(20, TimeUnit.SECONDS));
        one.give(10 * BYTES);
        three.give(1);
    }

    /** Goal: the order does not depend on addresses. */
    @Test
    void ofClientsThatHoldNothingTheLongestWaitingGoesFirst() throws Exception {
        for (int i = 0; i < 20; i++) {
            assertTrue(one.take(500));
            assertTrue(two.take(500));
            var others = new ArrayList<CallRoom.Share>();
            var calls = new ArrayList<Future<Boolean>>();
            for (int host = 3; host < 8; host++) {
                others.add(room.share(client(host)));
                calls.add(waiting(others.getLast(), 500));
            }
            CallRoom.Share before = one;
            for (int next = 0; next < others.size(); next++) {
                before.give(500);
                assertTrue(calls.get(next).get(20, TimeUnit.SECONDS));
                assertEquals(others.size() - next - 1, room.waiting());
                before = others.get(next);
            }
            before.give(500);
            two.give(500);
        }
    }

    @Test
    void theClientWithLeastGoesFirst() throws Exception {
        assertTrue(one.take(200));
        assertTrue(two.take(100));
        assertTrue(three.take(350));
        var ofOne = waiting(one, 200);
        var ofTwo = waiting(two, 150);
        three.give(350);
        assertTrue(ofTwo.get(20, TimeUnit.SECONDS));
        assertFalse(ofOne.isDone());
        one.give(200);
        assertTrue(ofOne.get(20, TimeUnit.SECONDS));
        one.give(200);
        two.give(100);
        two.give(150);
    }

    @Test
    void callsOfAnEndedConnectionGiveUp() throws Exception {
        assertTrue(one.take(500));
        var other = room.share(client(1));
        var ofOne = waiting(one, 100);
        var ofOther = waiting(other, 100);
        one.end();
        assertFalse(ofOne.get(20, TimeUnit.SECONDS));
        assertTrue(one.isEnded());
        assertFalse(one.take(0));
        assertFalse(ofOther.isDone());
        one.give(500);
        assertTrue(ofOther.get(20, TimeUnit.SECONDS));
        other.give(100);
    }

    @Test
    void anInterruptedCallTakesNoRoom() throws Exception {
        assertTrue(one.take(500));
        var call = new Thread[1];
        var waiting =
                threads.submit(
                        () -> {
                            call[0] = Thread.currentThread();
                            return one.take(400);
                        });
        Eventually.await(DEADLINE, () -> room.waiting() > 0);
        var behind = waiting(one, 0);
        call[0].interrupt();
        var failure =
                assertThrows(ExecutionException.class, () -> waiting.get(20, TimeUnit.SECONDS));
        assertEquals(InterruptedException.class, failure.getCause().getClass());
        // It waited behind the other call only.
        assertTrue(behind.get(20, TimeUnit.SECONDS));
        one.give(500);
        one.give(0);
    }
}
