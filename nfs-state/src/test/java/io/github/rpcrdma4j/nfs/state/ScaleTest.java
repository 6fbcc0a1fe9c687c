package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.LEASE;
import static io.github.rpcrdma4j.nfs.state.StateServer.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.DelegateCall;
import io.github.rpcrdma4j.nfs.state.event.LockCall;
import io.github.rpcrdma4j.nfs.state.limit.StateLimits;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Goal: ten thousand clients are no problem. {@code -Dscale.clients=10000} sets their number. */
class ScaleTest {
    private static final int CLIENTS = Integer.getInteger("scale.clients", 1000);
    private static final int FILES_OF_CLIENT = 10;

    /** The machine may be busy with other things. */
    private static final ThreadMXBean CPU = ManagementFactory.getThreadMXBean();

    private final StateServer server = StateServer.start();

    @Test
    void manyClientsOpenAndLockAndVanish() {
        long start = CPU.getCurrentThreadCpuTime();
        var clients = new ArrayList<StateClient>();
        for (int number = 0; number < CLIENTS; number++) {
            var client = server.client("client" + number);
            clients.add(client);
            for (int i = 0; i < FILES_OF_CLIENT; i++) {
                // Neighbours share files, at ranges of their own.
                var file = new StateServer.TestFile("file" + (number / 100 * 10 + i));
                var open = server.ok(client.open(file, "owner", 3, 0));
                var from = new LockCall.NewOwner(open, StateServer.name("locker"));
                var call = new LockCall(file, LockMode.WRITE, false, false, number * 10L, 10, from);
                server.ok(client.lock(call));
            }
        }
        long made = CPU.getCurrentThreadCpuTime() - start;
        int states = CLIENTS * FILES_OF_CLIENT;
        assertEquals(states, server.state.snapshots().opens(Integer.MAX_VALUE).size());
        assertEquals(states, server.state.snapshots().locks(Integer.MAX_VALUE).size());
        start = CPU.getCurrentThreadCpuTime();
        clients.forEach(StateClient::renew);
        long renewed = CPU.getCurrentThreadCpuTime() - start;

        // All leases expire at once. No event moves many clients.
        server.now += 2 * LEASE + StateLimits.DEFAULTS.courtesyNanos();
        int left = CLIENTS;
        start = CPU.getCurrentThreadCpuTime();
        long longest = 0;
        while (left > 0) {
            long before = CPU.getCurrentThreadCpuTime();
            server.run(server.state.tick(server.now));
            longest = Math.max(longest, CPU.getCurrentThreadCpuTime() - before);
            int now = server.state.snapshots().clients(Integer.MAX_VALUE, server.now).size();
            assertTrue(left - now <= 64, "one event removes " + (left - now));
            left = now;
        }
        assertEquals(0, server.state.snapshots().opens(9).size());
        System.out.printf(
                "%d clients, %d opens, %d locks: %.1f us an event; SEQUENCE and its end %.1f us;"
                        + " the longest event of expiry %.1f ms, all %.1f ms%n",
                CLIENTS,
                states,
                states,
                made / 1e3 / (CLIENTS * (3 + FILES_OF_CLIENT * 6.0)),
                renewed / 1e3 / CLIENTS,
                longest / 1e6,
                (CPU.getCurrentThreadCpuTime() - start) / 1e6);
    }

    /** One file with many readers of all of it, and then many narrow locks. */
    @Test
    void aFileWithManyLocksStaysQuick() {
        var client = server.client("client");
        var open = client.open();
        int owners = CLIENTS;
        StateId lock = null;
        for (int i = 0; i < owners; i++) {
            lock = client.locked(open, "owner" + i, LockMode.READ, 0, -1);
        }
        var other = server.client("other");
        var otherOpen = other.open();
        long start = CPU.getCurrentThreadCpuTime();
        for (int i = 0; i < owners; i++) {
            other.locked(otherOpen, "locker", LockMode.READ, 2L * i, 1);
            server.refuses(
                    Nfs4Status.DENIED,
                    other.await(otherOpen, "waiter" + i, LockMode.WRITE, 2L * i, 1));
        }
        server.ok(client.unlock(lock, 0, -1));
        System.out.printf(
                "%d readers of a file: %.1f us for a lock%n",
                owners, (CPU.getCurrentThreadCpuTime() - start) / 1e3 / owners / 2);
        assertEquals(2 * owners - 1, server.state.snapshots().locks(Integer.MAX_VALUE).size());
        start = CPU.getCurrentThreadCpuTime();
        server.ok(client.close(FILE, open));
        assertEquals(owners, server.state.snapshots().locks(Integer.MAX_VALUE).size());
        System.out.printf(
                "CLOSE with them: %.1f ms%n", (CPU.getCurrentThreadCpuTime() - start) / 1e6);
        server.pass(SECOND);
    }

    /** Each OPEN that may come with a delegation would look at all opens, under the lock. */
    @Test
    void aFileWithManyOpensIsAskedAboutAsQuickly() {
        long few = nanosOfWish(20);
        long many = nanosOfWish(20_000);
        System.out.printf("a wish for a delegation: %.1f us, %.1f us%n", few / 1e3, many / 1e3);
        assertTrue(many < 10 * few + 20_000, few + " ns, " + many + " ns");
    }

    /** Returns the time of a wish for a file that has opens, and a lock. */
    private static long nanosOfWish(int opens) {
        var server = StateServer.start();
        var client = server.client("client").answering();
        var open = client.open();
        client.locked(open, "locker", LockMode.READ, 0, 1);
        for (int i = 1; i < opens; i++) {
            server.ok(client.open(FILE, "owner" + i, 3, 0));
        }
        var call = new DelegateCall(FILE, open, DelegateCall.Wish.ANY, false, 7, Optional.empty());
        var use = client.begin();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 200; i++) {
            long start = CPU.getCurrentThreadCpuTime();
            for (int j = 0; j < 100; j++) {
                server.state.delegations().delegate(use, call, server.now);
            }
            least = Math.min(least, CPU.getCurrentThreadCpuTime() - start);
        }
        client.end(use);
        return least / 100;
    }
}
