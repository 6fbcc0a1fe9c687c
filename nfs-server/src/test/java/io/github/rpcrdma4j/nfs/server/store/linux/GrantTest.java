package io.github.rpcrdma4j.nfs.server.store.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.linux.Scratch;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class GrantTest {
    private static final long SECONDS = 1_700_000_000;
    private static final int NANOS = 500_000_000;
    private static final long NOW = SECONDS * 1000 + 500;

    private final Scratch scratch = new Scratch();

    GrantTest() {
        file(0644, 10, 20, SECONDS, NANOS);
    }

    private void file(int mode, int uid, int gid, long seconds, int nanos) {
        scratch.memory.set(ValueLayout.JAVA_SHORT, Scratch.STATX + 28, (short) (0100000 | mode));
        scratch.word(Scratch.STATX + 20, uid);
        scratch.word(Scratch.STATX + 24, gid);
        scratch.number(Scratch.STATX + 96, seconds);
        scratch.word(Scratch.STATX + 104, nanos);
    }

    private Grant asked(long afterMillis) {
        return Grant.of(scratch, 7, 4, NOW + afterMillis);
    }

    @Test
    void isBelievedWhileTheFileIsAsItWas() {
        var grant = asked(1000);
        assertTrue(grant.holds(scratch, 4));
        assertTrue(grant.holds(scratch, 7));
        assertEquals(4, grant.granted());
    }

    @Test
    void isNotBelievedAfterAnyChange() {
        var grant = asked(1000);
        int[][] files = {
            {0640, 10, 20, 0, 0},
            {0644, 11, 20, 0, 0},
            {0644, 10, 21, 0, 0},
            {0644, 10, 20, 1, 0},
            {0644, 10, 20, 0, 1},
            {04644, 10, 20, 0, 0}
        };
        for (var each : files) {
            file(each[0], each[1], each[2], SECONDS + each[3], NANOS + each[4]);
            assertFalse(grant.holds(scratch, 4));
        }
    }

    @Test
    void isNotBelievedIfTheFileHadJustChanged() {
        assertFalse(asked(0).holds(scratch, 4));
        assertFalse(asked(50).holds(scratch, 4));
        assertTrue(asked(51).holds(scratch, 4));
        assertTrue(asked(5_000).holds(scratch, 4));
        assertTrue(asked(10_000_000_000L).holds(scratch, 4));
    }

    @Test
    void isNotBelievedIfTheFileChangesInTheFuture() {
        assertFalse(asked(-1).holds(scratch, 4));
        assertFalse(asked(-5_000).holds(scratch, 4));
    }

    @Test
    void saysNothingOfBitsThatWereNotAskedFor() {
        var grant = Grant.of(scratch, 4, 4, NOW + 1000);
        assertTrue(grant.holds(scratch, 4));
        assertFalse(grant.holds(scratch, 2));
        assertFalse(grant.holds(scratch, 6));
    }
}
