package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class LookoutsTest {
    @Test
    void letsHalfOfTheProcessorsLook() {
        var lookouts = new Lookouts(5);
        assertTrue(lookouts.begin());
        assertTrue(lookouts.begin());
        assertFalse(lookouts.begin());
        assertFalse(lookouts.begin());
        lookouts.end();
        assertTrue(lookouts.begin());
        assertFalse(lookouts.begin());
    }

    @Test
    void letsNobodyLookWhereThereIsOneProcessor() {
        assertFalse(new Lookouts(1).begin());
    }
}
