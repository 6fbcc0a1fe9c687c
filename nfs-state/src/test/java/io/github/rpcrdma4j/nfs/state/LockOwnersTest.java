package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.OTHER_FILE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.LockCall;
import io.github.rpcrdma4j.nfs.state.event.LockOutcome;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.sim.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Goal: RELEASE_LOCKOWNER knows whether an owner has locks without a look at all its files. */
class LockOwnersTest {
    private static final String OWNER = "locker";
    private static final int STEPS = 60;

    /** An open, and the stateid of the lock owner at it; null if it has none. */
    private static final class Opened {
        final FileKey file;
        final StateId open;
        StateId lock;

        Opened(FileKey file, StateId open) {
            this.file = file;
            this.open = open;
        }
    }

    private final StateServer server = StateServer.start();
    private final LeaseClient client = new LeaseClient(server, "client").connect();
    private final List<Opened> opens = new ArrayList<>();

    private boolean hasLocks() {
        return !server.state.snapshots().locks(1).isEmpty();
    }

    private void lock(Opened at, LockMode type, long offset, long length) {
        var from = new LockCall.NewOwner(at.open, StateServer.name(OWNER));
        var call = new LockCall(at.file, type, false, false, offset, length, from);
        var outcome = client.holding(at.open, use -> server.state.lock(use, call, server.now));
        var granted = server.ok(server.kernel.outcome(outcome));
        at.lock = ((LockOutcome.Granted) granted).stateId();
    }

    private void unlock(Opened at, long offset, long length) {
        at.lock =
                server.ok(
                        client.holding(
                                at.lock,
                                use ->
                                        server.state.unlock(
                                                use,
                                                at.file,
                                                at.lock,
                                                offset,
                                                length,
                                                server.now)));
    }

    /** The owner locks by several opens, also of one file, and two files. */
    @Test
    void anOwnerIsReleasedIfItHasNoLockOfAnyFile() {
        var seeds = Seeds.many(Integer.getInteger("seeds", 100)).toArray();
        int held = 0;
        int released = 0;
        for (long seed : seeds) {
            var test = new LockOwnersTest();
            var random = new Random(seed);
            for (int step = 0; step < STEPS; step++) {
                test.step(random);
                boolean hasLocks = test.hasLocks();
                var status = test.client.releaseLockOwner(OWNER).status();
                var where = "seed=" + seed + " step=" + step;
                assertEquals(hasLocks ? Nfs4Status.LOCKS_HELD : Nfs4Status.OK, status, where);
                if (!hasLocks) {
                    test.opens.forEach(each -> each.lock = null);
                }
                held += hasLocks ? 1 : 0;
                released += hasLocks ? 0 : 1;
            }
        }
        assertTrue(held > seeds.length && released > seeds.length, held + ", " + released);
    }

    private void step(Random random) {
        int choice = random.nextInt(10);
        long offset = random.nextInt(4);
        long length = 1 + random.nextInt(4);
        if (opens.isEmpty() || choice == 0 && opens.size() < 5) {
            var file = random.nextBoolean() ? FILE : OTHER_FILE;
            var owner = "owner" + random.nextInt();
            opens.add(new Opened(file, server.ok(client.open(file, owner, 3, 0, false))));
            return;
        }
        var at = opens.get(random.nextInt(opens.size()));
        if (choice == 1) {
            opens.remove(at);
            server.ok(client.close(at.file, at.open));
        } else if (choice < 5) {
            var type = random.nextBoolean() ? LockMode.READ : LockMode.WRITE;
            lock(at, type, offset, length);
        } else if (at.lock != null) {
            unlock(at, offset, choice < 8 ? -1 : length);
        }
    }
}
