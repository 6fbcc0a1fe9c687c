package io.github.rpcrdma4j.rpcrdma.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class TermsTest {
    @Test
    @Tag("8167-4.2-1")
    void reverseCallsHaveTheThresholdOfForwardReplies() {
        assertEquals(
                new Terms(2048, 1024, false, false, 0, 28), new Terms(1024, 2048, true).reversed());
    }

    @Test
    void neverSendsMoreThanAPageInTheReverseDirection() {
        assertEquals(
                new Terms(4096, 4096, false, false, 0, 28),
                new Terms(65536, 8192, false).reversed());
    }
}
