package io.github.rpcrdma4j.rpcrdma.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class TermsTest {
    @Test
    @Tag("8167-4.2-1")
    void reverseCallsHaveTheThresholdOfForwardReplies() {
        assertEquals(
                new Terms(2048, 1024, false, false, 0), new Terms(1024, 2048, true).reversed());
    }

    @Test
    void neverSendsMoreThanAPageInTheReverseDirection() {
        assertEquals(
                new Terms(4096, 4096, false, false, 0), new Terms(65536, 8192, false).reversed());
    }

    @Test
    @Tag("5666-6.2-2")
    @Tag("5666-6.2-3")
    @Tag("5666-6.2-5")
    void areWhatBothSidesToldOfThemselves() {
        var before = new Terms(1024, 1024, true);
        var client = new ConfRdma.Arguments(4096, 8192, 8);
        var server = new ConfRdma.Results(2048, 4096, 16);
        assertEquals(
                new Terms(2048, 8192, true, true, 16), before.configured(client, server, 4096));
        assertEquals(
                new Terms(1024, 8192, true, true, 16), before.configured(client, server, 1024));
        assertEquals(new Terms(1024, 8192, true, true, 8), before.configured(client, 65536));
        assertEquals(new Terms(1024, 4096, true, true, 8), before.configured(client, 4096));
        var most = new ConfRdma.Results(-1, 0, -1);
        assertEquals(
                new Terms(4096, 8192, true, true, Integer.MAX_VALUE),
                before.configured(client, most, 4096));
    }
}
