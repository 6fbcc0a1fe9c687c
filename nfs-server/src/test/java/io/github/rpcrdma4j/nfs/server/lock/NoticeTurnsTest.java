package io.github.rpcrdma4j.nfs.server.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: no client keeps the others waiting for their notices, however many addresses it has. */
class NoticeTurnsTest {
    private static final long SECOND = 1_000_000_000L;

    /** An address of a network that one client has. */
    private static InetAddress ofMany(int number) {
        return InetAddress.ofLiteral("2001:db8::" + Integer.toHexString(number));
    }

    private static InetAddress ofFew(int number) {
        return InetAddress.ofLiteral("192.0.2." + number);
    }

    private static boolean isOfMany(NoticeTurns.Notice notice) {
        return notice.host().getAddress().length == 16;
    }

    private static List<NoticeTurns.Notice> begin(NoticeTurns turns, long now) {
        var begun = new ArrayList<NoticeTurns.Notice>();
        for (var next = turns.next(now); next != null; next = turns.next(now)) {
            begun.add(next);
        }
        return begun;
    }

    @Test
    void aClientWithManyAddressesIsLastAndHasTwoAtATime() {
        var hosts = new ArrayList<InetAddress>();
        for (int i = 1; i <= 1000; i++) {
            hosts.add(ofMany(i));
        }
        for (int i = 1; i <= 40; i++) {
            hosts.add(ofFew(i));
        }
        var turns = new NoticeTurns(hosts);
        var first = begin(turns, 0);
        assertEquals(32, first.size());
        assertTrue(first.stream().noneMatch(NoticeTurnsTest::isOfMany));
        first.forEach(each -> turns.ended(each, true, 0));
        var second = begin(turns, 0);
        assertEquals(10, second.size(), "8 of the others, and 2 of the many");
        assertEquals(2, second.stream().filter(NoticeTurnsTest::isOfMany).count());
        second.forEach(each -> turns.ended(each, true, 0));
        var told = new HashSet<InetAddress>();
        while (!turns.isDone()) {
            var begun = begin(turns, 0);
            assertEquals(2, begun.size());
            begun.forEach(each -> told.add(each.host()));
            begun.forEach(each -> turns.ended(each, true, 0));
        }
        assertEquals(998, told.size());
    }

    /** Its addresses that are not reached do not hold up the next try of the others. */
    @Test
    void aHostIsTriedAgainWhileOthersAreTriedForTheFirstTime() {
        var hosts = new ArrayList<InetAddress>();
        for (int i = 1; i <= 100; i++) {
            hosts.add(ofMany(i));
        }
        hosts.add(ofFew(1));
        var turns = new NoticeTurns(hosts);
        var few = begin(turns, 0).getFirst();
        assertEquals(ofFew(1), few.host());
        turns.ended(few, false, SECOND);
        assertEquals(2 * SECOND, turns.nanosToNext(SECOND), "the others are busy");
        assertNull(turns.next(3 * SECOND - 1));
        assertEquals(ofFew(1), turns.next(3 * SECOND).host());
    }

    @Test
    void aHostIsTriedSixTimesWithLongerPauses() {
        var turns = new NoticeTurns(List.of(ofFew(1)));
        long now = 0;
        long pause = 2 * SECOND;
        for (int tries = 1; tries <= 6; tries++) {
            assertEquals(0, turns.nanosToNext(now));
            turns.ended(turns.next(now), false, now);
            assertEquals(tries == 6, turns.isDone());
            if (tries < 6) {
                assertEquals(pause, turns.nanosToNext(now));
                now += pause;
                pause *= 2;
            }
        }
        assertNull(turns.next(Long.MAX_VALUE));
    }

    @Test
    void aHostThatWasToldIsNotToldAgain() {
        var turns = new NoticeTurns(List.of(ofFew(1)));
        var notice = turns.next(0);
        assertFalse(turns.isDone());
        turns.ended(notice, true, 0);
        assertTrue(turns.isDone());
    }
}
