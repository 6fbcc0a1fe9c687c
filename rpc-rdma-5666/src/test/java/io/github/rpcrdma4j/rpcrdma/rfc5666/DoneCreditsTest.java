package io.github.rpcrdma4j.rpcrdma.rfc5666;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.rpcrdma.requester.CreditWindow;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class DoneCreditsTest {
    private final CreditWindow window = new CreditWindow(8);
    private final DoneCredits dones = new DoneCredits();

    private boolean trySend() {
        if (!window.tryTake(dones.held() + 1)) {
            return false;
        }
        dones.sent(true);
        return true;
    }

    @Test
    @Tag("5666-3.8-7")
    void setsACreditAsideForEveryRdmaDoneThatMayBeOwed() {
        window.grant(8);
        for (int i = 0; i < 4; i++) {
            assertTrue(trySend());
        }
        assertFalse(trySend());
        assertEquals(4, window.outstanding());
        assertEquals(4, dones.held());
        window.release(1);
        dones.released();
        assertTrue(trySend());
    }

    @Test
    void freesTheCreditWithTheAnswerToALaterCall() {
        window.grant(8);
        long early = dones.sent(true);
        long between = dones.sent(false);
        dones.doneSent();
        dones.answered(early);
        dones.answered(between);
        assertEquals(1, dones.held());
        long later = dones.sent(false);
        dones.answered(later);
        assertEquals(0, dones.held());
    }

    @Test
    void sendsOneCallHoweverSmallTheGrant() {
        assertTrue(trySend());
        assertFalse(trySend());
        window.release(1);
        dones.doneSent();
        assertEquals(1, dones.held());
        assertTrue(trySend());
    }

    @Test
    void keepsOneCreditBackForProbesAlso() {
        window.reserve();
        window.grant(4);
        assertTrue(trySend());
        assertFalse(trySend());
        assertTrue(window.tryTakeReserved(0));
    }

    @Test
    void releasesNoCreditThatWasNotSetAside() {
        assertThrows(AssertionError.class, dones::released);
        assertThrows(AssertionError.class, dones::doneSent);
    }
}
