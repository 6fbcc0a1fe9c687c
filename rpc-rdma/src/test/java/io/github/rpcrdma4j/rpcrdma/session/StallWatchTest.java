package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.StallWatch;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: a peer may stall for a bounded time. Method: the test sets time and completions. */
class StallWatchTest {
    private static final Duration TAKE = Duration.ofSeconds(30);
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final int PIECE = 64 << 10;

    private final HostileEnd end = new HostileEnd(1, 2);
    private Endpoint endpoint;
    private StallWatch watch;
    private long now = 1000 * SECOND;
    private long moved;

    @BeforeEach
    void connect() throws Exception {
        endpoint = new Endpoint(end.memory(end.queuePair), 1024, () -> {});
        watch = new StallWatch(endpoint, TAKE, TAKE);
        end.accept(new byte[0], new byte[0], _ -> {});
    }

    @AfterEach
    void checkNothingLeaks() {
        endpoint.close("the test is over");
        end.close();
    }

    private void post(int sends) {
        var requests = new ArrayList<WorkRequest>();
        for (int i = 0; i < sends; i++) {
            var region = end.domain.register(Arena.ofAuto().allocate(PIECE));
            requests.add(new WorkRequest.Send(0, List.of(Sge.of(region))));
        }
        endpoint.post(requests, _ -> {});
    }

    private void takeOne() {
        endpoint.completed(
                new Completion(
                        end.queuePair,
                        0,
                        Completion.Operation.SEND,
                        Completion.Status.SUCCESS,
                        0,
                        false,
                        0));
    }

    private Optional<String> after(long seconds) {
        now += seconds * SECOND;
        return check(1, StallWatch.LEAST_RATE);
    }

    private Optional<String> check(int timeoutDivisor, long rate) {
        watch.look(now, false, rate);
        return watch.check(now, timeoutDivisor);
    }

    @Test
    void aPeerThatTakesNothingIsNoticed() {
        post(2);
        assertEquals(Optional.empty(), after(0));
        assertEquals(Optional.empty(), after(29));
        assertEquals(Optional.of("the peer accepts no data"), after(1));
    }

    /** Goal: a client holds memory for a bounded time. Method: one completion per 29 seconds. */
    @Test
    void aPeerThatTakesALittleNowAndThenIsNoticed() {
        post(100);
        Optional<String> reason = after(0);
        int taken = 0;
        while (reason.isEmpty()) {
            takeOne();
            taken++;
            assertTrue(taken < 100, "it was let be");
            reason = after(29);
        }
        assertEquals(Optional.of("the peer accepts data too slowly"), reason);
        // The limit: 30 seconds, 8 seconds per MiB (50 seconds in all), and one interval.
        assertTrue(taken * 29 <= 30 + 50 + 29, "it took " + taken);
    }

    /** Goal: no peer that takes a megabit per second is ended, even with much data outstanding. */
    @Test
    void aSlowPeerThatReceivesAllIsNotStalled() {
        post(100);
        for (int i = 0; i < 1000; i++) {
            assertEquals(Optional.empty(), after(1));
            takeOne();
            takeOne();
            post(2);
            end.world.settle();
        }
    }

    /** Watches an endpoint whose queue pair tells of the bytes that the test counts. */
    private void countBytes() {
        var real = end.queuePair;
        InvocationHandler counting =
                (_, method, arguments) ->
                        method.getName().equals("bytesMoved")
                                ? OptionalLong.of(moved)
                                : method.invoke(real, arguments);
        var pair =
                (QueuePair)
                        Proxy.newProxyInstance(
                                QueuePair.class.getClassLoader(),
                                new Class<?>[] {QueuePair.class},
                                counting);
        endpoint = new Endpoint(end.memory(pair), 1024, () -> {});
        watch = new StallWatch(endpoint, TAKE, TAKE);
    }

    /** Returns how many seconds a peer is let be that moves so many bytes a second. */
    private int secondsAt(int bytes, int timeoutDivisor, long rate) {
        for (int seconds = 0; seconds < 1000; seconds++) {
            if (check(timeoutDivisor, rate).isPresent()) {
                return seconds;
            }
            moved += bytes;
            now += SECOND;
        }
        return Integer.MAX_VALUE;
    }

    /**
     * Goal: partial progress counts, at a rate, and not more of it than time has passed. Method: no
     * work request is ever done.
     */
    @ParameterizedTest
    @CsvSource({
        // The minimum rate, and less.
        "8192, 30, 2147483647",
        "7168, 30, 240",
        "4096, 30, 60",
        "1, 30, 31",
        // Others wait: an eighth of the time.
        "8192, 3, 2147483647",
        "4096, 3, 8",
        "1, 3, 4"
    })
    void aPeerThatMovesBytesIsBehindByWhatItDoesNotMove(int bytes, int patience, int seconds) {
        countBytes();
        post(1000);
        int most = secondsAt(bytes, patience == 3 ? 8 : 1, StallWatch.LEAST_RATE);
        assertTrue(most <= seconds && most >= Math.min(seconds - seconds / 5, 990), "" + most);
    }

    @Test
    void aPeerThatMovedMuchAtFirstHasNoMoreTimeLater() {
        countBytes();
        post(1000);
        assertEquals(Optional.empty(), after(0));
        moved += 1 << 30;
        assertEquals(Optional.empty(), after(1));
        assertEquals(Optional.empty(), after(29));
        assertEquals(Optional.of("the peer accepts no data"), after(1));
    }

    @Test
    void aGreedyPeerMovesAsMuchAsAWholeNetwork() {
        countBytes();
        post(1000);
        int least = (int) StallWatch.LEAST_RATE;
        int network = (int) StallWatch.NETWORK_RATE;
        assertEquals(Integer.MAX_VALUE, secondsAt(network, 8, StallWatch.NETWORK_RATE));
        assertTrue(secondsAt(least, 8, StallWatch.NETWORK_RATE) <= 4);
    }

    /** Goal: bytes of other kinds do not hold posted work for ever. */
    @Test
    void workIsDoneInABoundedTimeThoughOtherBytesMove() {
        countBytes();
        post(16);
        int most = secondsAt(1 << 20, 1, StallWatch.LEAST_RATE);
        // 30 seconds, and 8 for each of the 16 pieces of 64 KiB.
        assertEquals(30 + 16 * 8, most);
    }

    @Test
    void aPeerThatAwaitsNothingButKeepsMemoryIsBehind() {
        watch.look(now, true, StallWatch.LEAST_RATE);
        assertEquals(0, watch.behind(now));
        now += SECOND;
        watch.look(now, true, StallWatch.LEAST_RATE);
        assertEquals(SECOND, watch.behind(now));
        assertEquals(Optional.empty(), watch.check(now + 1000 * SECOND, 1));
        watch.look(now, false, StallWatch.LEAST_RATE);
        assertEquals(0, watch.behind(now));
    }

    @Test
    void anIdlePeerIsNotStalled() {
        assertEquals(Optional.empty(), after(0));
        assertEquals(Optional.empty(), after(1000));
        post(1);
        assertEquals(Optional.empty(), after(0));
        takeOne();
        assertEquals(Optional.empty(), after(1000));
        post(1);
        assertEquals(Optional.empty(), after(1));
        assertEquals(Optional.empty(), after(29));
    }

    @Test
    void aPeerThatHoldsUpOthersHasLessTime() {
        post(2);
        assertEquals(Optional.empty(), check(10, StallWatch.LEAST_RATE));
        now += 2 * SECOND;
        assertEquals(Optional.empty(), check(10, StallWatch.LEAST_RATE));
        now += SECOND;
        assertTrue(check(10, StallWatch.LEAST_RATE).isPresent());
    }
}
