package io.github.rpcrdma4j.rpcrdma.requester;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class CreditWindowTest {
    @Test
    @Tag("5666-6.1-1")
    @Tag("5666-6.1-2")
    @Tag("8166-3.3.3-1")
    @Tag("8166-3.3.1-4")
    void startsWithOneCreditUntilTheFirstReply() {
        var window = new CreditWindow(8);
        assertTrue(window.tryTake(0));
        assertFalse(window.tryTake(0));
        window.release(1);
        window.grant(32);
        for (int i = 0; i < 8; i++) {
            assertTrue(window.tryTake(0));
        }
        assertFalse(window.tryTake(0));
    }

    @Test
    @Tag("5666-3.3-4")
    @Tag("5666-4.1-3")
    @Tag("8166-3.3.1-2")
    @Tag("5666-3.3-7")
    void revokesNothingWhenTheGrantShrinks() {
        var window = new CreditWindow(20);
        window.grant(20);
        for (int i = 0; i < 20; i++) {
            assertTrue(window.tryTake(0));
        }
        window.grant(4);
        for (int left = 20; left > 4; left--) {
            assertFalse(window.tryTake(0));
            window.release(1);
        }
        assertFalse(window.tryTake(0));
        window.release(1);
        assertTrue(window.tryTake(0));
        assertEquals(4, window.outstanding());
    }

    @Test
    void takesAGrantOfZeroForOne() {
        var window = new CreditWindow(4);
        window.grant(0);
        assertEquals(1, window.granted());
        assertTrue(window.tryTake(0));
    }

    @Test
    void takesAHugeGrantForMoreThanEnough() {
        var window = new CreditWindow(2);
        window.grant(0xffff_ffff);
        assertTrue(window.tryTake(0));
        assertTrue(window.tryTake(0));
        assertFalse(window.tryTake(0));
    }

    @Test
    void refusesACreditThatWasNotTaken() {
        assertThrows(AssertionError.class, () -> new CreditWindow(1).release(1));
        assertThrows(IllegalArgumentException.class, () -> new CreditWindow(0));
    }

    @Test
    @Tag("8267-6.7.2-1")
    void keepsOneCreditBackWhereThereAreTwo() {
        var window = new CreditWindow(3);
        window.reserve();
        assertTrue(window.tryTake(0));
        assertFalse(window.tryTakeReserved(0));
        window.grant(2);
        assertFalse(window.tryTake(0));
        assertTrue(window.tryTakeReserved(0));
        assertFalse(window.tryTakeReserved(0));
        window.grant(3);
        assertFalse(window.tryTake(0));
        window.release(1);
        assertTrue(window.tryTake(0));
    }
}
