package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FirstFrameTimerTest {
    @Test
    void expiresFiveTimesEachTimeLater() {
        var timer = new FirstFrameTimer();
        timer.start(-7_000_000);
        var expiries = new ArrayList<Integer>();
        for (int millis = 0; millis < 2000; millis++) {
            if (timer.expires(millis * 1_000_000L - 7_000_000)) {
                expiries.add(millis);
            }
        }
        assertEquals(List.of(20, 40, 80, 160, 320), expiries);
        assertTrue(timer.isOver());
    }
}
