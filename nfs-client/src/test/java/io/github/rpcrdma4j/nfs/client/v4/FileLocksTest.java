package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.LockLostException;
import io.github.rpcrdma4j.nfs.client.service.LockRange;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * Goal: locks exclude others, are claimed after a restart, and are never lost in silence. Method:
 * two clients, over RDMA.
 */
@Timeout(120)
class FileLocksTest {
    private static final LockRange FIRST = new LockRange(0, 10);
    private static final LockRange SECOND = new LockRange(10, 10);
    private static final int LENGTH = 20;

    @TempDir private Path directory;
    @TempDir private Path records;
    private WatchedServer server;
    private Nfs4Service one;
    private Nfs4Service two;
    private RemotePlace place;

    private void connect(NfsVersion version, Optional<Path> records) throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        server = new WatchedServer(directory, records);
        one = server.connect(version);
        two = server.connect(version);
        place = new RemotePlace(one.mount(PathName.of("/data")), "file");
        one.makeFile(place, AttributeChanges.ofMode(0600), true, "no");
        Files.write(directory.resolve("file"), new byte[LENGTH]);
    }

    @AfterEach
    void stop() throws Exception {
        one.close();
        two.close();
        server.close();
    }

    private OpenFile open(Nfs4Service service) throws Exception {
        // Version 4.0 opens files by the names under which it has found them.
        var found = service.lookup(place, "no");
        return service.open(found.handle(), OpenFile.Mode.BOTH, "no");
    }

    private static boolean isLocked(
            Nfs4Service service, OpenFile file, LockRange range, boolean isExclusive)
            throws Exception {
        return service.lock(file, range, isExclusive, Duration.ZERO, "cannot lock");
    }

    private static void write(Nfs4Service service, OpenFile file, int value) throws Exception {
        try (var arena = Arena.ofShared()) {
            var data = arena.allocate(LENGTH).fill((byte) value);
            service.write(file, 0, Stability.FILE_SYNC, data, "cannot write");
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_ANY, names = "VERSION_4_.")
    void locksExcludeOtherClientsAndOtherOpens(NfsVersion version) throws Exception {
        connect(version, Optional.empty());
        try (var first = open(one);
                var same = open(one);
                var other = open(two)) {
            assertTrue(isLocked(one, first, FIRST, true));
            assertFalse(isLocked(one, same, FIRST, true));
            assertFalse(isLocked(two, other, LockRange.ALL, false));
            assertTrue(isLocked(two, other, SECOND, true));
            write(one, first, 1);
            one.unlock(first, FIRST, "no");
            assertTrue(isLocked(two, other, FIRST, false));
            assertTrue(isLocked(one, same, FIRST, false));
            assertFalse(isLocked(one, first, FIRST, true));
            write(one, first, 2);
        }
        assertEquals(0, server.administration().locks(9).size());
        assertEquals(0, server.administration().opens(9).size());
    }

    @Test
    void aClientThatWaitsHearsOfTheLock() throws Exception {
        connect(NfsVersion.VERSION_4_2, Optional.empty());
        try (var first = open(one);
                var other = (OpenAtServer) open(two)) {
            assertTrue(isLocked(one, first, FIRST, true));
            var denied = new CountDownLatch(1);
            server.after(denied::countDown);
            var waiting =
                    new FutureTask<>(
                            () -> two.lock(other, FIRST, true, Duration.ofHours(1), "cannot lock"));
            Thread.startVirtualThread(waiting);
            denied.await();
            one.unlock(first, FIRST, "no");
            assertTrue(waiting.get());
            assertTrue(other.notices() > 0, "the client has polled");
        }
    }

    /** Another client is awaited, so the grace period goes on, and only claims are taken. */
    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_ANY, names = "VERSION_4_.")
    void locksAreClaimedWhenTheServerHasRestarted(NfsVersion version) throws Exception {
        connect(version, Optional.of(records));
        try (var file = open(one)) {
            assertTrue(isLocked(one, file, FIRST, true));
            assertTrue(isLocked(one, file, new LockRange(15, LockRange.TO_END), false));
            server.relay().cutAndHold();
            server.restart();
            var leaving = Thread.startVirtualThread(two::close);
            server.relay().release();
            write(one, file, 3);
            leaving.join();
            assertEquals(2, server.administration().locks(9).size());
        }
        assertEquals(0, server.administration().locks(9).size());
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_ANY, names = "VERSION_4_.")
    void aLostLockIsToldAtEachUse(NfsVersion version) throws Exception {
        connect(version, Optional.empty());
        try (var file = open(one);
                var other = open(two)) {
            assertTrue(isLocked(one, file, FIRST, true));
            end(1);
            assertTrue(isLocked(two, other, FIRST, true));
            for (int i = 0; i < 2; i++) {
                assertThrows(LockLostException.class, () -> write(one, file, 4));
                assertThrows(LockLostException.class, () -> isLocked(one, file, SECOND, true));
            }
            assertEquals(0, Files.readAllBytes(directory.resolve("file"))[0]);
            two.unlock(other, FIRST, "no");
            one.unlock(file, FIRST, "no");
            write(one, file, 5);
            assertTrue(isLocked(one, file, FIRST, true));
        }
        assertEquals(5, Files.readAllBytes(directory.resolve("file"))[0]);
    }

    /** Ends the client that has locks. */
    private void end(int locks) throws Exception {
        var held = server.administration().locks(9);
        assertEquals(locks, held.size());
        assertTrue(server.administration().end(held.getFirst().client()).isPresent());
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_ANY, names = "VERSION_4_.")
    void aLockThatCannotBeClaimedIsLost(NfsVersion version) throws Exception {
        connect(version, Optional.empty());
        try (var file = open(one)) {
            assertTrue(isLocked(one, file, FIRST, true));
            server.restart();
            var told = assertThrows(LockLostException.class, () -> write(one, file, 6));
            assertTrue(told.getMessage().startsWith("cannot write: the lock"), told.getMessage());
        }
        assertEquals(0, Files.readAllBytes(directory.resolve("file"))[0]);
    }
}
