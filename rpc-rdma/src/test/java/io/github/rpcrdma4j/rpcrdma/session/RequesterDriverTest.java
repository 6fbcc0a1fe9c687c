package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.Test;
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

    @Test
    void namesAnAddressAsAUserWritesIt() {
        assertEquals(
                "server.example:20049",
                RequesterDriver.hostPort(
                        InetSocketAddress.createUnresolved("server.example", 20049)));
        assertEquals(
                "[2001:db8:0:0:0:0:0:1]:20049",
                RequesterDriver.hostPort(new InetSocketAddress("2001:db8:0:0:0:0:0:1", 20049)));
    }
}
