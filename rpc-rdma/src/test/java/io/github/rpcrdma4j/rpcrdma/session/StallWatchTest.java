package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.StallWatch;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: a peer may stall for a bounded time. Method: the test sets time and completions. */
class StallWatchTest {
    private static final Duration TAKE = Duration.ofSeconds(30);
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final int PIECE = 64 << 10;

    private final HostileEnd end = new HostileEnd(1, 2);
    private Endpoint endpoint;
    private StallWatch watch;
    private long now = 1000 * SECOND;

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
        return watch.check(now, 1);
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
        assertEquals(Optional.empty(), watch.check(now, 10));
        assertEquals(Optional.empty(), watch.check(now + 2 * SECOND, 10));
        assertTrue(watch.check(now + 3 * SECOND, 10).isPresent());
    }
}
