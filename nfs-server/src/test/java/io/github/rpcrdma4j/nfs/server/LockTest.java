package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.close;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.create;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.getFh;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.lock;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.open;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.testLock;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.unlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.github.rpcrdma4j.nfs.directories.ChildProcess;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: byte-range locks follow RFC 8881, Sections 9 and 18.10 to 18.12. */
class LockTest {
    private static final long TO_THE_END = -1;

    private TestDirectory testDirectory;
    private TestServer server;
    private CompoundClient client;
    private CompoundClient other;
    private StateId ours;
    private StateId theirs;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.LOCAL);
        server = TestServer.of(testDirectory);
        client = CompoundClient.of(server, "client");
        other = CompoundClient.of(server, "other");
        ours = client.open(at("", create("file")));
        theirs = other.open(at("", create("file")));
    }

    @AfterEach
    void stop() throws Exception {
        if (testDirectory != null) {
            server.close();
            testDirectory.close();
        }
    }

    private static StateId stateId(CompoundClient of, Arguments call) throws Exception {
        return ((LockResult.Lock) of.last(at("file", call))).lock();
    }

    private StateId lockOurs(LockType type, long offset, long length) throws Exception {
        return stateId(client, lock(ours, "us", type, offset, length));
    }

    private static LockResult.Denied denied(CompoundClient of, Arguments call) throws Exception {
        return (LockResult.Denied) of.compound(at("file", call)).results().getLast();
    }

    private StateOwner owner(CompoundClient of, String name) {
        return new StateOwner(of.clientId(), Nfs4Calls.name(name));
    }

    /** A client ID is a secret: the owner comes without that of its client. */
    @Test
    void aConflictTellsTheLockAndItsOwner() throws Exception {
        lockOurs(LockType.WRITE, 10, 5);
        var us = new StateOwner(0, Nfs4Calls.name("us"));
        assertEquals(
                new LockResult.Denied(Opcode.LOCK, 10, 5, LockType.WRITE, us),
                denied(other, lock(theirs, "them", LockType.READ, 14, 1)));
        assertEquals(
                new LockResult.Denied(Opcode.LOCKT, 10, 5, LockType.WRITE, us),
                denied(other, testLock("them", LockType.READ, 0, TO_THE_END)));
        assertEquals(
                Nfs4Status.OK,
                other.status(at("file", lock(theirs, "them", LockType.WRITE, 15, 1))));
    }

    @Test
    void aLockToTheEndIsToldAsSuch() throws Exception {
        lockOurs(LockType.WRITE, 100, TO_THE_END);
        var denied = denied(other, testLock("them", LockType.WRITE, Long.MAX_VALUE, 1));
        assertEquals(100, denied.offset());
        assertEquals(TO_THE_END, denied.length());
    }

    @Test
    void readersShareAndAnUpgradeWaitsForTheOthers() throws Exception {
        var locks = lockOurs(LockType.READ, 0, 10);
        var shared = stateId(other, lock(theirs, "them", LockType.READ, 5, 10));
        assertEquals(
                Nfs4Calls.name("them"),
                denied(client, lock(locks, LockType.WRITE, 0, 10)).owner().name());
        assertEquals(Nfs4Status.OK, client.status(at("file", lock(locks, LockType.WRITE, 0, 5))));
        other.last(at("file", unlock(shared, 0, TO_THE_END)));
        assertEquals(
                Nfs4Status.OK,
                client.status(at("file", lock(locks.withSequence(0), LockType.WRITE, 0, 10))));
        assertEquals(
                Nfs4Status.DENIED, other.status(at("file", testLock("x", LockType.READ, 9, 1))));
    }

    @Test
    void aTestPassesByTheLocksOfItsOwner() throws Exception {
        lockOurs(LockType.WRITE, 0, 10);
        assertEquals(
                Nfs4Status.OK, client.status(at("file", testLock("us", LockType.WRITE, 0, 10))));
        assertEquals(
                Nfs4Status.DENIED,
                client.status(at("file", testLock("else", LockType.WRITE, 0, 10))));
        assertEquals(
                Nfs4Status.DENIED, other.status(at("file", testLock("us", LockType.WRITE, 0, 10))));
    }

    @Test
    void partsAreUnlocked() throws Exception {
        var locks = lockOurs(LockType.WRITE, 0, 30);
        client.last(at("file", unlock(locks, 10, 10)));
        assertEquals(
                Nfs4Status.OK, other.status(at("file", testLock("them", LockType.WRITE, 10, 10))));
        assertEquals(10, denied(other, testLock("them", LockType.WRITE, 0, 30)).length());
        assertEquals(20, denied(other, testLock("them", LockType.WRITE, 10, 30)).offset());
    }

    @Test
    void rangesHaveToBePossible() throws Exception {
        for (var call :
                List.of(
                        lock(ours, "us", LockType.WRITE, 0, 0),
                        lock(ours, "us", LockType.WRITE, 2, -2),
                        testLock("us", LockType.READ, 0, 0))) {
            assertEquals(Nfs4Status.INVAL, client.status(at("file", call)));
        }
        var locks = lockOurs(LockType.WRITE, 0, 1);
        assertEquals(Nfs4Status.INVAL, client.status(at("file", unlock(locks, 0, 0))));
        assertEquals(Nfs4Status.OK, client.status(at("file", lock(locks, LockType.READ, 1, -2))));
    }

    @Test
    void aLockNeedsAnOpenWithItsAccess() throws Exception {
        var reading = other.open(at("", open("file", Open.READ, 0)));
        assertEquals(theirs.withSequence(2), reading, "the owner had it open for writing");
        other.last(at("file", close(reading)));
        var onlyReading = other.open(at("", open("file", Open.READ, 0)));
        assertEquals(
                Nfs4Status.OPENMODE,
                other.status(at("file", lock(onlyReading, "them", LockType.WRITE, 0, 1))));
        assertEquals(
                Nfs4Status.OK,
                other.status(at("file", lock(onlyReading, "them", LockType.READ, 0, 1))));
        assertEquals(
                Nfs4Status.BAD_STATEID,
                client.status(at("file", lock(theirs, "us", LockType.READ, 0, 1))));
    }

    @Test
    void closeReleasesTheLocks() throws Exception {
        lockOurs(LockType.WRITE, 0, 10);
        client.last(at("file", close(ours)));
        assertEquals(
                Nfs4Status.OK, other.status(at("file", testLock("them", LockType.WRITE, 0, 10))));
        ChildProcess.run(List.of(), Unlocked.class, path().toString());
    }

    @Test
    void onlyRegularFilesAreLocked() throws Exception {
        assertEquals(Nfs4Status.ISDIR, client.status(at("", testLock("us", LockType.READ, 0, 1))));
        assertEquals(
                Nfs4Status.ISDIR, client.status(at("", lock(ours, "us", LockType.READ, 0, 1))));
    }

    private Path path() {
        return testDirectory.root().resolve("file");
    }

    private static FileChannel channel(Path path) throws IOException {
        return FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    /**
     * Locks of Java are those of its process, so they conflict with those of the server. Each ends
     * when the server closes the file, as this is the same process.
     */
    @Test
    void locksOfLocalProcessesAreSeen() throws Exception {
        try (var channel = channel(path())) {
            var local = channel.lock(5, 10, false);
            var denied = denied(client, lock(ours, "us", LockType.READ, 0, 100));
            assertEquals(5, denied.offset());
            assertEquals(10, denied.length());
            assertEquals(LockType.WRITE, denied.type());
            local.release();
        }
        assertEquals(
                Nfs4Status.OK, client.status(at("file", lock(ours, "us", LockType.WRITE, 0, 100))));
    }

    @Test
    void aTestSeesTheLocksOfLocalProcesses() throws Exception {
        try (var channel = channel(path())) {
            channel.lock(5, 10, false);
            var denied = denied(other, testLock("them", LockType.READ, 14, 1));
            assertEquals(5, denied.offset());
            assertEquals(LockType.WRITE, denied.type());
        }
        assertEquals(
                Nfs4Status.OK, other.status(at("file", testLock("them", LockType.WRITE, 14, 1))));
    }

    @Test
    void localProcessesSeeTheLocksOfClients() throws Exception {
        var locks = lockOurs(LockType.WRITE, 0, 10);
        ChildProcess.run(List.of(), Locked.class, path().toString());
        client.last(at("file", unlock(locks, 0, TO_THE_END)));
        ChildProcess.run(List.of(), Unlocked.class, path().toString());
    }

    /** Runs while a client has a lock on the first ten bytes. */
    static final class Locked {
        private Locked() {}

        public static void main(String[] arguments) throws Exception {
            try (var channel = channel(Path.of(arguments[0]))) {
                assertNull(channel.tryLock(9, 1, true));
                assertNotNull(channel.tryLock(10, 10, false));
            }
        }
    }

    /** Runs while no client has a lock. */
    static final class Unlocked {
        private Unlocked() {}

        public static void main(String[] arguments) throws Exception {
            try (var channel = channel(Path.of(arguments[0]))) {
                assertNotNull(channel.tryLock(0, Long.MAX_VALUE, false));
            }
        }
    }

    @Test
    void aClientThatWaitsIsCalledWhenTheLockIsFree() throws Exception {
        var calls = new CallbackPeer();
        server.connect(calls);
        var waiting = CompoundClient.of(server, "waiting");
        var open = waiting.open(at("", create("file")));
        var handle = ((HandleResult.GetFh) waiting.last(at("file", getFh()))).handle();
        var locks = lockOurs(LockType.WRITE, 0, 10);
        denied(waiting, lock(open, "waiter", LockType.WRITE_WAITING, 0, 10));
        client.last(at("file", unlock(locks, 0, 10)));
        var call = calls.received.poll(60, TimeUnit.SECONDS);
        assertNotNull(call, "no callback came");
        assertEquals(
                waiting.session(),
                ((CallbackArguments.Sequence) call.callbacks().get(0)).session());
        assertEquals(
                new CallbackArguments.NotifyLock(handle, owner(waiting, "waiter")),
                call.callbacks().get(1));
        assertEquals(
                Nfs4Status.OK,
                waiting.status(at("file", lock(open, "waiter", LockType.WRITE, 0, 10))));
    }
}
