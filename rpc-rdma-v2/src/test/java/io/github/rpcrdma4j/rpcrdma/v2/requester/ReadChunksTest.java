package io.github.rpcrdma4j.rpcrdma.v2.requester;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.rpcrdma.rfc5666.fetched.ExposedReplies;
import io.github.rpcrdma4j.rpcrdma.rfc5666.fetched.ExposedReplies.Action;
import io.github.rpcrdma4j.rpcrdma.rfc5666.fetched.ExposedReplies.Bounds;
import io.github.rpcrdma4j.rpcrdma.rfc5666.options.LateFetch;
import io.github.rpcrdma4j.rpcrdma.v2.requester.PendingDoneNotices.Notice;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ReadChunksTest {
    private static final OptionalInt NONE = OptionalInt.empty();

    private static ExposedReplies replies(LateFetch lateness) {
        return new ExposedReplies(new Bounds(3, 1000, 10, lateness));
    }

    @Test
    @Tag("RPR-4.1-1")
    @Tag("RPR-4.1.3-3")
    @Tag("RPR-4.1.4-4")
    @Tag("RPR-4.1.4-5")
    @Tag("RPR-4.1.4-6")
    @Tag("RPR-5.4.3-1")
    void releasesFetchedRepliesAlone() {
        var replies = replies(LateFetch.INVALIDATES);
        replies.expose(7, List.of(71, 72), 100);
        replies.expose(8, List.of(81), 200);
        assertEquals(300, replies.bytes());
        assertEquals(List.of(), replies.fetched(List.of(9), NONE));
        assertEquals(
                List.of(new Action.Release(7)), replies.fetched(List.of(7), OptionalInt.of(71)));
        assertEquals(List.of(), replies.fetched(List.of(7), NONE));
        // A handle of another reply, and a handle that is no longer exposed.
        replies.expose(9, List.of(91), 1);
        assertTrue(
                replies.fetched(List.of(8), OptionalInt.of(91)).getFirst() instanceof Action.Close);
        assertTrue(
                replies.fetched(List.of(7), OptionalInt.of(71)).getFirst() instanceof Action.Close);
        assertEquals(
                List.of(new Action.Release(9), new Action.Release(8)),
                replies.fetched(List.of(9, 5, 8), OptionalInt.of(91)));
        assertEquals(0, replies.count());
        assertEquals(0, replies.bytes());
    }

    @Test
    @Tag("RPR-X-6")
    void holdsNoMoreThanItsBoundsAndOneReply() {
        var replies = replies(LateFetch.INVALIDATES);
        replies.expose(1, List.of(1), 999);
        assertTrue(replies.hasRoom());
        replies.expose(2, List.of(2), 5000);
        assertFalse(replies.hasRoom());
        assertThrows(AssertionError.class, () -> replies.expose(3, List.of(3), 0));
        replies.fetched(List.of(2), NONE);
        assertTrue(replies.hasRoom());
        assertThrows(AssertionError.class, () -> replies.expose(1, List.of(4), 0));
        replies.expose(3, List.of(3), 0);
        assertTrue(replies.hasRoom());
        replies.expose(4, List.of(4), 0);
        assertFalse(replies.hasRoom());
    }

    @Test
    @Tag("RPR-4.1.3-5")
    @Tag("RPR-5.4.3-1")
    @Tag("RPR-X-2")
    @Tag("RPR-X-4")
    void endsTheWaitByTimeOrWithTheConnection() {
        var replies = replies(LateFetch.INVALIDATES);
        replies.expose(1, List.of(11, 12), 1);
        assertEquals(List.of(), replies.expire(0, 1));
        replies.expose(2, List.of(21), 1);
        assertEquals(List.of(), replies.expire(5, 1));
        assertFalse(replies.called(3));
        assertEquals(List.of(), replies.expire(9, 1));
        assertTrue(replies.called(1));
        assertEquals(List.of(new Action.Release(2)), replies.expire(15, 1));
        assertEquals(List.of(), replies.expire(24, 1));
        assertEquals(List.of(new Action.Release(1)), replies.expire(25, 1));
        replies.expose(3, List.of(31), 1);
        replies.expose(4, List.of(41), 1);
        assertEquals(2, replies.lost().size());
        assertEquals(0, replies.count());
        assertEquals(List.of(), replies.lost());
        var strict = replies(LateFetch.CLOSES);
        strict.expose(1, List.of(11), 1);
        assertEquals(List.of(), strict.expire(0, 1));
        assertTrue(strict.expire(10, 1).getFirst() instanceof Action.Close);
        assertEquals(1, strict.lost().size());
    }

    private static Optional<Notice> due(PendingDoneNotices notices, long now) {
        return notices.isDue(now) ? notices.withoutCall() : Optional.empty();
    }

    @Test
    @Tag("RPR-4.1.3-1")
    @Tag("RPR-4.1.4-1")
    @Tag("RPR-4.1.4-2")
    @Tag("RPR-4.1.4-3")
    @Tag("RPR-5.2.3-3")
    void sendsNoticesWithCallsOrAfterADelay() {
        var notices = new PendingDoneNotices(true, true, 10);
        assertEquals(Optional.empty(), notices.withCall());
        assertEquals(Optional.empty(), due(notices, 1000));
        notices.add(1, 11, 0);
        notices.add(2, 21, 5);
        assertEquals(Optional.empty(), due(notices, 9));
        assertEquals(Optional.of(new Notice(List.of(1, 2), OptionalInt.of(11))), due(notices, 10));
        notices.add(3, 31, 20);
        assertEquals(Optional.of(new Notice(List.of(3), OptionalInt.of(31))), notices.withCall());
        assertEquals(Optional.empty(), notices.withCall());
        assertTrue(notices.isEmpty());
        assertEquals(Long.MAX_VALUE, notices.nanosUntilDue(20));
        notices.add(5, 51, 30);
        assertEquals(6, notices.nanosUntilDue(34));
        assertEquals(
                Optional.of(new Notice(List.of(5), OptionalInt.of(51))), notices.withoutCall());
        assertEquals(Optional.empty(), notices.withoutCall());
        var alone = new PendingDoneNotices(false, false, 10);
        alone.add(4, 41, 0);
        assertEquals(0, alone.nanosUntilDue(0));
        assertEquals(Optional.empty(), alone.withCall());
        assertEquals(Optional.of(new Notice(List.of(4), NONE)), due(alone, 0));
        for (int xid = 0; xid < 300; xid++) {
            alone.add(xid, 1, 0);
        }
        assertEquals(256, due(alone, 0).orElseThrow().xids().size());
        assertEquals(44, due(alone, 0).orElseThrow().xids().size());
    }
}
