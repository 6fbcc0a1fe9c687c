package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FirstFrameTimerTest {
    @Test
    void kicksFiveTimesEachTimeLater() {
        var timer = new FirstFrameTimer();
        timer.start(-7_000_000);
        var kicks = new ArrayList<Integer>();
        for (int millis = 0; millis < 2000; millis++) {
            if (timer.kick(millis * 1_000_000L - 7_000_000)) {
                kicks.add(millis);
            }
        }
        assertEquals(List.of(20, 40, 80, 160, 320), kicks);
        assertTrue(timer.isOver());
    }
}
