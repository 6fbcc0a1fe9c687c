package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.lock;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.open;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.users.KerberosUsers;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.FreeStateId;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a client that falls silent keeps processes of the server's machine from its locks for a
 * lease, and learns that it has lost them. Method: over RDMA, with the shortest lease. Locks of
 * Java are those of its process, so they conflict with those of the server.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ExpiredLocksTest {
    private static final Duration LEASE = Duration.ofSeconds(Nfs4Options.LEASE_SECONDS_MIN);
    private static final List<String> NAMES = List.of("read", "written");

    private TestDirectory directory;
    private RdmaServer server;
    private CompoundClient silent;

    @BeforeEach
    void serve() throws Exception {
        directory = TestDirectory.of(TestDirectory.Kind.LOCAL);
        for (var each : NAMES) {
            Files.createFile(path(each));
        }
        server =
                new RdmaServer(
                        new NfsServer(
                                List.of(new Export(TestServer.EXPORT, directory.root(), false)),
                                TestServer.KEY,
                                KerberosUsers.NONE,
                                new Nfs4Options(LEASE, LEASE, Optional.empty(), "test")));
        silent = CompoundClient.of(server, "silent");
    }

    @AfterEach
    void stop() throws Exception {
        if (server != null) {
            server.close();
        }
        directory.close();
    }

    private Path path(String name) {
        return directory.root().resolve(name);
    }

    private FileChannel channel(String name) throws IOException {
        return FileChannel.open(path(name), StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    private static LockType type(String name) {
        return name.equals("read") ? LockType.READ : LockType.WRITE;
    }

    private StateId locked(String name, StateId open) throws Exception {
        var lock = lock(open, "locker", type(name), 0, 10);
        return ((LockResult.Lock) silent.last(at(name, lock))).lock();
    }

    @Test
    void processesGetTheLocksOfAClientWhenItsLeaseHasExpired() throws Exception {
        var opens = new HashMap<String, StateId>();
        var locks = new HashMap<String, StateId>();
        for (var each : NAMES) {
            opens.put(each, silent.open(at("", open(each, Open.BOTH, 0))));
            locks.put(each, locked(each, opens.get(each)));
        }
        long began = System.nanoTime();
        try (var read = channel("read");
                var written = channel("written")) {
            assertNull(read.tryLock(9, 1, false));
            assertNull(written.tryLock(9, 1, true));
            read.lock(9, 1, false);
            var waited = Duration.ofNanos(System.nanoTime() - began);
            assertTrue(waited.compareTo(LEASE.minusSeconds(1)) > 0, waited.toString());
            written.lock(9, 1, true);
            for (var each : NAMES) {
                var lost = write(locks.get(each), 0, "x");
                assertEquals(Nfs4Status.EXPIRED, silent.status(at(each, lost)));
            }
        }
        for (var each : NAMES) {
            assertEquals(Nfs4Status.OK, silent.status(new FreeStateId(locks.get(each))));
            var lock = locked(each, opens.get(each));
            assertEquals(Nfs4Status.OK, silent.status(at(each, write(lock, 0, "x"))));
        }
    }
}
