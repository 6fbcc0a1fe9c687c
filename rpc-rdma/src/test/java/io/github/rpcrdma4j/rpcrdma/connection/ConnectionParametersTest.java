package io.github.rpcrdma4j.rpcrdma.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ConnectionParametersTest {
    @Test
    @Tag("8167-4.2-1")
    void reverseCallsHaveTheThresholdOfForwardReplies() {
        assertEquals(
                new ConnectionParameters(2048, 1024, false, false, 0, 28),
                new ConnectionParameters(1024, 2048, true).reversed());
    }

    @Test
    void neverSendsMoreThanAPageInTheReverseDirection() {
        assertEquals(
                new ConnectionParameters(4096, 4096, false, false, 0, 28),
                new ConnectionParameters(65536, 8192, false).reversed());
    }
}
