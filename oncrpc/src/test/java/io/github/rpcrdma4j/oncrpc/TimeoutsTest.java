package io.github.rpcrdma4j.oncrpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimeoutsTest {
    @ParameterizedTest
    @CsvSource({
        "PT0S, 0 s",
        "PT0.000005S, 5000 ns",
        "PT0.001S, 1 ms",
        "PT1.5S, 1500 ms",
        "PT20S, 20 s",
        "PT-5S, -5 s",
    })
    void namesATimeInASuitableUnit(Duration time, String words) {
        assertEquals(words, Timeouts.words(time));
    }

    @Test
    void aNegativeTimeoutIsNamedInSeconds() {
        var refused =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> Timeouts.nanosOfCall(Duration.ofSeconds(-5)));
        assertEquals("a timeout must not be negative: -5 s", refused.getMessage());
    }
}
