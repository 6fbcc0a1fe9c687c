package io.github.rpcrdma4j.oncrpc.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.record.ReceivedRecord;
import io.github.rpcrdma4j.oncrpc.tcp.PendingReply.Answer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Goal: the memory of a reply has one owner, whether the reply or the end of the wait is first. */
class AwaitedReplyTest {
    private static final long LONG = Duration.ofSeconds(20).toNanos();

    private final SegmentPool pool = new SegmentPool(0);
    private final AwaitedReply pending = new AwaitedReply();

    private Answer.Arrived arrived() {
        var memory = pool.lease(8);
        return new Answer.Arrived(new ReceivedRecord(memory, memory.segment()));
    }

    @Test
    void givesTheCallerItsAnswer() throws Exception {
        var answer = arrived();
        assertTrue(pending.answer(answer));
        assertEquals(answer, pending.await(LONG));
        assertEquals(1, pool.leased());
    }

    @Test
    void takesTheFirstAnswerOnly() throws Exception {
        assertTrue(pending.answer(new Answer.Lost("gone")));
        assertFalse(pending.answer(arrived()));
        assertEquals(new Answer.Lost("gone"), pending.await(LONG));
    }

    @Test
    void stopsWaitingInTime() throws Exception {
        assertNull(pending.await(1));
        assertNull(pending.await(-1));
    }

    @Test
    void leavesAnAnswerThatComesAfterTheCallerToItsGiver() {
        pending.abandon();
        assertFalse(pending.answer(arrived()));
        assertEquals(1, pool.leased());
    }

    @Test
    void givesBackAnAnswerThatCameBeforeTheCallerLeft() {
        assertTrue(pending.answer(arrived()));
        pending.abandon();
        assertEquals(0, pool.leased());
    }

    @Test
    void forgetsALossThatCameBeforeTheCallerLeft() throws Exception {
        pending.answer(new Answer.Lost("gone"));
        pending.abandon();
        assertEquals(new Answer.Lost("gone"), pending.await(LONG));
    }
}
