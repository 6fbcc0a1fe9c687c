package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.close;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.create;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.fromRoot;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.lock;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.testLock;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.unlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.testing.Eventually;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: an export whose file system hangs holds up the locks of its own files only. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HangingLocksTest {
    private static final String SLOW = "slow/file";
    private static final String GOOD = "good/file";

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private HangingStores stores;
    private TestDirectory slow;
    private TestDirectory good;
    private TestServer server;
    private CompoundClient client;
    private CompoundClient other;

    @BeforeEach
    void directories() throws Exception {
        slow = TestDirectory.of(TestDirectory.Kind.LOCAL);
        good = TestDirectory.of(TestDirectory.Kind.LOCAL);
    }

    private void serve(String... hanging) throws Exception {
        stores = new HangingStores("/slow", Set.of(hanging));
        var exports =
                List.of(
                        new Export("/slow", slow.root(), false),
                        new Export("/good", good.root(), false));
        server = TestServer.of(exports, stores);
        client = CompoundClient.of(server, "client");
        other = CompoundClient.of(server, "other");
    }

    @AfterEach
    void stop() throws Exception {
        if (stores != null) {
            stores.goOn();
            threads.close();
            server.close();
        }
        if (good != null) {
            good.close();
        }
        slow.close();
    }

    private static StateId open(CompoundClient of, String path) throws Exception {
        int end = path.indexOf('/');
        return of.open(fromRoot(path.substring(0, end), create(path.substring(end + 1))));
    }

    /** Sends a call from another thread. */
    private Future<Nfs4Status> later(CompoundClient of, Arguments... call) {
        Callable<Nfs4Status> sending = () -> of.status(call);
        return threads.submit(sending);
    }

    /** Sends a call that must not wait for the file system that hangs. */
    private Nfs4Status now(CompoundClient of, Arguments... call) throws Exception {
        return later(of, call).get(20, TimeUnit.SECONDS);
    }

    private static StateId stateId(CompoundClient of, String path, Arguments lock)
            throws Exception {
        return ((LockResult.Lock) of.last(fromRoot(path, lock))).lock();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Node.openLocks", "KernelLocks.set"})
    void otherClientsAndExportsGoOn(String hanging) throws Exception {
        serve(hanging);
        var ours = open(client, SLOW);
        var theirs = open(other, SLOW);
        var good = open(other, GOOD);
        stores.hang();
        var held = later(client, fromRoot(SLOW, lock(ours, "us", LockType.WRITE, 0, 10)));
        stores.awaitBlocked();
        assertEquals(Nfs4Status.OK, now(other));
        assertEquals(
                Nfs4Status.OK, now(other, fromRoot(GOOD, lock(good, "x", LockType.WRITE, 0, 10))));
        // The table of clients answers without the kernel.
        assertEquals(
                Nfs4Status.DENIED,
                now(other, fromRoot(SLOW, lock(theirs, "x", LockType.READ, 5, 1))));
        assertEquals(
                Nfs4Status.DENIED, now(other, fromRoot(SLOW, testLock("x", LockType.WRITE, 5, 1))));
        assertFalse(held.isDone());
        stores.goOn();
        assertEquals(Nfs4Status.OK, held.get(20, TimeUnit.SECONDS));
        var seen = other.compound(fromRoot(SLOW, testLock("x", LockType.WRITE, 5, 1)));
        assertEquals(
                new LockResult.Denied(Opcode.LOCKT, 0, 10, LockType.WRITE, Nfs4Calls.owner("us")),
                seen.results().getLast());
    }

    /** The client asks again, and what the kernel grants in the end is not left behind. */
    @Test
    void aLockIsDelayedAndLeavesNothingBehind() throws Exception {
        serve("KernelLocks.set");
        var ours = open(client, SLOW);
        stores.hang();
        assertEquals(
                Nfs4Status.DELAY,
                now(client, fromRoot(SLOW, lock(ours, "us", LockType.WRITE, 0, 10))));
        assertTrue(server.nfs.administration().locks(9).isEmpty());
        stores.goOn();
        var theirs = open(other, SLOW);
        assertEquals(
                Nfs4Status.OK,
                now(other, fromRoot(SLOW, lock(theirs, "x", LockType.WRITE, 0, 10))));
    }

    /** A store throws this when the system allows no more threads. */
    @Test
    void anErrorOfTheStoreEndsOneLockOnly() throws Exception {
        serve("KernelLocks.set");
        var ours = open(client, SLOW);
        stores.fail(new OutOfMemoryError("no more threads"));
        assertEquals(
                Nfs4Status.SERVERFAULT,
                now(client, fromRoot(SLOW, lock(ours, "us", LockType.WRITE, 0, 10))));
        assertEquals(
                Nfs4Status.OK,
                now(client, fromRoot(SLOW, lock(ours, "us", LockType.WRITE, 0, 10))));
    }

    @Test
    void aTestIsDelayed() throws Exception {
        serve("Node.lockConflict");
        open(client, SLOW);
        stores.hang();
        assertEquals(
                Nfs4Status.DELAY,
                now(client, fromRoot(SLOW, testLock("us", LockType.WRITE, 0, 10))));
        stores.goOn();
        assertEquals(
                Nfs4Status.OK, now(client, fromRoot(SLOW, testLock("us", LockType.WRITE, 0, 10))));
    }

    /** Each holds a thread and an open file for as long as the file system hangs. */
    @Test
    void fewTestsWaitForAFileSystemThatHangs() throws Exception {
        serve("Node.lockConflict");
        var delayed = new ArrayList<Future<Nfs4Status>>();
        var clients = new ArrayList<CompoundClient>();
        for (int i = 0; i < 40; i++) {
            open(client, SLOW + i);
            clients.add(CompoundClient.of(server, "client" + i));
        }
        stores.hang();
        for (int i = 0; i < clients.size(); i++) {
            var test = testLock("us", LockType.WRITE, 0, 10);
            delayed.add(later(clients.get(i), fromRoot(SLOW + i, test)));
        }
        for (var each : delayed) {
            assertEquals(Nfs4Status.DELAY, each.get(20, TimeUnit.SECONDS));
        }
        assertEquals(16, stores.blocked());
        stores.goOn();
        var test = fromRoot(SLOW, testLock("us", LockType.WRITE, 0, 10));
        open(client, SLOW);
        // The client asks again until the file system has answered the earlier ones.
        Eventually.await(() -> now(client, test) != Nfs4Status.DELAY);
        assertEquals(Nfs4Status.OK, now(client, test));
    }

    @Test
    void unlockingAndClosingDoNotWaitForLong() throws Exception {
        serve("KernelLocks.clear", "KernelLocks.close");
        var ours = open(client, SLOW);
        var lock = stateId(client, SLOW, lock(ours, "us", LockType.WRITE, 0, 10));
        var theirs = open(other, GOOD);
        stores.hang();
        var unlocked = later(client, fromRoot(SLOW, unlock(lock, 0, 5)));
        stores.awaitBlocked();
        assertEquals(
                Nfs4Status.OK, now(other, fromRoot(GOOD, lock(theirs, "x", LockType.READ, 0, 1))));
        assertEquals(Nfs4Status.OK, unlocked.get(20, TimeUnit.SECONDS));
        assertEquals(Nfs4Status.OK, now(client, fromRoot(SLOW, close(ours))));
    }

    @Test
    void theServerEndsNevertheless() throws Exception {
        serve("KernelLocks.set");
        var ours = open(client, SLOW);
        stores.hang();
        var held = later(client, fromRoot(SLOW, lock(ours, "us", LockType.WRITE, 0, 10)));
        stores.awaitBlocked();
        assertEquals(Nfs4Status.DELAY, held.get(20, TimeUnit.SECONDS));
        threads.submit(server::close).get(20, TimeUnit.SECONDS);
    }

    /** A client loses its locks of the file that hangs within an event. */
    @Test
    void aClientWithLocksThereCanLeave() throws Exception {
        serve("KernelLocks.clear");
        var ours = open(client, SLOW);
        stateId(client, SLOW, lock(ours, "us", LockType.WRITE, 0, 10));
        stores.hang();
        var administration = server.nfs.administration();
        Callable<Boolean> end = () -> administration.end(client.clientId()).isPresent();
        threads.submit(end).get(20, TimeUnit.SECONDS);
        stores.awaitBlocked();
        assertEquals(Nfs4Status.OK, now(other));
        stores.goOn();
        var theirs = open(other, SLOW);
        assertEquals(
                Nfs4Status.OK,
                now(other, fromRoot(SLOW, lock(theirs, "x", LockType.WRITE, 0, 10))));
    }
}
