package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class IdleStrategyTest {
    @Test
    void leavesHalfOfTheProcessorsToOthers() {
        int processors = Runtime.getRuntime().availableProcessors();
        assertEquals(processors / 2, IdleStrategy.busyPollThenSleep().busyPollersMax());
        assertEquals(IdleStrategy.busyPollThenSleep(), IwarpOptions.DEFAULT.idle());
    }

    @Test
    void rejectsNegativeValues() {
        assertThrows(
                IllegalArgumentException.class, () -> new IdleStrategy(Duration.ofNanos(-1), 1));
        assertThrows(IllegalArgumentException.class, () -> new IdleStrategy(Duration.ZERO, -1));
    }
}
