package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class LookoutsTest {
    @Test
    void letsHalfOfTheProcessorsLook() {
        var lookouts = new Lookouts(5);
        assertTrue(lookouts.begin(false));
        assertTrue(lookouts.begin(false));
        assertFalse(lookouts.begin(false));
        assertFalse(lookouts.begin(false));
        lookouts.end();
        assertTrue(lookouts.begin(false));
        assertFalse(lookouts.begin(false));
    }

    @Test
    void letsNobodyLookWhereThereIsOneProcessor() {
        assertFalse(new Lookouts(1).begin(false));
        assertFalse(new Lookouts(1).begin(true));
    }

    @Test
    void letsAVirtualThreadLookWhileNobodyElseWaits() {
        var lookouts = new Lookouts(4);
        lookouts.enter();
        assertTrue(lookouts.begin(true));
        lookouts.end();
        lookouts.enter();
        assertFalse(lookouts.begin(true));
        assertTrue(lookouts.begin(false));
        lookouts.end();
        lookouts.leave();
        assertTrue(lookouts.begin(true));
    }
}
