package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class LookoutsTest {
    @Test
    void letsNoMoreLookThanMay() {
        var lookouts = new Lookouts(2);
        assertTrue(lookouts.begin(false));
        assertTrue(lookouts.begin(false));
        assertFalse(lookouts.begin(false));
        assertFalse(lookouts.begin(false));
        lookouts.end();
        assertTrue(lookouts.begin(false));
        assertFalse(lookouts.begin(false));
    }

    @Test
    void letsNoThreadLookWhereNoneMay() {
        assertFalse(new Lookouts(0).begin(false));
        assertFalse(new Lookouts(0).begin(true));
    }

    @Test
    void letsAVirtualThreadLookWhileNoOtherWaits() {
        var lookouts = new Lookouts(2);
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
