package io.github.rpcrdma4j.nfs.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.limit.LockLimits;
import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import org.junit.jupiter.api.Test;

/**
 * Goal: who unlocks a range in which another owner has thousands of READ locks holds up nobody, and
 * the kernel holds what the table says in the end. Method: one owner has READ locks of single
 * bytes, another one locks and unlocks everything.
 */
class ManyReadersTest {
    private static final int READERS = 1000;
    private static final int PARTS = LockLimits.DEFAULTS.partsOfEvent();

    private final StateServer server = StateServer.start();
    private final TestKernel kernel = server.kernel;
    private final StateClient client = server.client("client");
    private final StateId open = client.open();
    private StateId one;

    private StateId lockAllBesideManyReaders() {
        for (int i = 0; i < READERS; i++) {
            one = client.locked(open, "one", LockMode.READ, 2L * i, 1);
        }
        return client.locked(open, "two", LockMode.READ, 0, -1);
    }

    /** The second one's unlocking begins while the kernel has much to give up for the first. */
    @Test
    void allThatTwoOwnersUnlockIsGivenUp() {
        for (int i = 0; i < READERS; i++) {
            client.locked(open, "one", LockMode.READ, 2L * i, 1);
        }
        var two = client.locked(open, "two", LockMode.READ, 0, READERS);
        var three = client.locked(open, "three", LockMode.READ, READERS, -1);
        kernel.hang();
        server.ok(client.unlock(two, 0, READERS));
        server.ok(client.unlock(three, READERS, -1));
        kernel.goOn();
        assertHeldByOneAlone();
    }

    private void assertHeldByOneAlone() {
        for (int i = 0; i < READERS; i++) {
            assertEquals(LockMode.READ, kernel.held(new ByteRange(2L * i, 2L * i)));
            assertNull(kernel.held(new ByteRange(2L * i + 1, 2L * i + 1)));
        }
        assertNull(kernel.held(new ByteRange(2L * READERS, -1)));
    }

    @Test
    void oneEventGivesUpFewParts() {
        var two = lockAllBesideManyReaders();
        kernel.hang();
        server.ok(client.unlock(two, 0, -1));
        assertTrue(kernel.waiting() <= PARTS + 1, "changes: " + kernel.waiting());
        kernel.goOn();
        assertEquals((2 * READERS - 1) / PARTS, kernel.reductions());
        assertHeldByOneAlone();
    }

    @Test
    void whatIsLockedMeanwhileStaysLocked() {
        var two = lockAllBesideManyReaders();
        kernel.hang();
        server.ok(client.unlock(two, 0, -1));
        client.lock(open, "three", LockMode.WRITE, 2L * READERS - 1, 1);
        client.lock(open, "two", LockMode.READ, 2L * READERS + 1, 1);
        kernel.goOn();
        assertEquals(
                LockMode.WRITE, kernel.held(new ByteRange(2L * READERS - 1, 2L * READERS - 1)));
        assertNull(kernel.held(new ByteRange(2L * READERS, 2L * READERS)));
        assertEquals(LockMode.READ, kernel.held(new ByteRange(2L * READERS + 1, 2L * READERS + 1)));
        assertNull(kernel.held(new ByteRange(2L * READERS + 2, -1)));
    }

    @Test
    void aFileThatIsNotLockedAnyMoreIsClosedAtOnce() {
        var two = lockAllBesideManyReaders();
        kernel.hang();
        server.ok(client.unlock(two, 0, -1));
        server.ok(client.unlock(one, 0, -1));
        kernel.goOn();
        assertEquals("CLOSE", kernel.calls().getLast());
        var again = client.locked(open, "two", LockMode.WRITE, 5, 1);
        assertEquals(LockMode.WRITE, kernel.held(new ByteRange(5, 5)));
        server.ok(client.unlock(again, 0, -1));
        assertNull(kernel.held(ByteRange.ALL));
    }

    /** The kernel has granted a WRITE lock that nobody waits for any more. */
    @Test
    void aLockThatIsTakenBackIsSoInParts() {
        lockAllBesideManyReaders();
        var two = client.locked(open, "two", LockMode.READ, 0, -1);
        server.ok(client.unlock(two, 0, -1));
        assertHeldByOneAlone();
        kernel.hang();
        client.lock(open, "two", LockMode.READ, 0, -1);
        server.ok(server.state.kernelLocks().abandon(READERS + 3, server.now));
        kernel.goOn();
        assertHeldByOneAlone();
        assertTrue(kernel.reductions() > 2 * (2 * READERS - 1) / PARTS - 2);
    }
}
