package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequesterDriverTest {
    @ParameterizedTest
    @CsvSource({
        "PT0S, 0 s",
        "PT0.000005S, 5000 ns",
        "PT0.001S, 1 ms",
        "PT1.5S, 1500 ms",
        "PT20S, 20 s",
    })
    void namesATimeoutInASuitableUnit(Duration timeout, String words) {
        assertEquals(words, RequesterDriver.words(timeout));
    }
}
