package io.github.rpcrdma4j.nfs.state.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Goal: no number is given away while something has it, also after all numbers were used. */
class IndicesTest {
    @Test
    void numbersAreGivenAwayOnceUntilAllWere() {
        var indices = new Indices<String>();
        for (int i = 1; i <= 1000; i++) {
            int index = indices.next();
            assertEquals(i, index);
            indices.put(index, "thing " + i);
            if (i % 2 == 0) {
                indices.remove(index);
            }
        }
        assertEquals("thing 999", indices.find(999));
        assertNull(indices.find(1000));
        assertTrue(indices.wasGiven(1000));
        assertFalse(indices.wasGiven(1001));
        assertFalse(indices.wasGiven(0));
    }

    @Test
    void afterTheLastNumberThoseInUseAndZeroAreLeftOut() {
        var indices = new Indices<String>(-3);
        indices.put(1, "old");
        indices.put(2, "old");
        indices.put(4, "old");
        assertFalse(indices.wasGiven(-1));
        assertEquals(-2, indices.next());
        assertEquals(-1, indices.next());
        assertTrue(indices.wasGiven(-1));
        assertEquals(3, indices.next());
        assertEquals(5, indices.next());
        assertEquals("old", indices.find(1));
        assertTrue(indices.wasGiven(6));
        assertTrue(indices.wasGiven(-100));
        assertFalse(indices.wasGiven(0));
    }
}
