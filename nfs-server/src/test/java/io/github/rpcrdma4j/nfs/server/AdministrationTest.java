package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.lock;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.open;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.reclaimComplete;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.admin.ServedOpen.Share;
import io.github.rpcrdma4j.nfs.server.admin.StateCounts;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Goal: administrators see what clients hold, and take it away. */
class AdministrationTest {
    @Test
    void showsClientsSessionsOpensAndLocks() throws Exception {
        try (var testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
                var server = TestServer.of(testDirectory)) {
            var inode = server.attributes(server.create(server.root(), "file")).fileId();
            var a = CompoundClient.recovering(server, "a", CompoundClient.user(7));
            a.last(reclaimComplete());
            a.last(
                    at(
                            "file",
                            lock(
                                    a.open(at("", open("file", Open.BOTH, 0))),
                                    "locker",
                                    LockType.WRITE,
                                    5,
                                    10)));
            CompoundClient.recovering(server, "b");
            var seen = server.nfs.administration();

            assertEquals(new StateCounts(false, 2, 2, 1, 1, 0, 0), seen.counts());
            assertEquals(2, seen.clients(10).size());
            assertEquals(1, seen.clients(1).size());
            var client =
                    seen.clients(10).stream()
                            .filter(each -> each.id() == a.clientId())
                            .findFirst()
                            .orElseThrow();
            assertEquals("a", client.name());
            assertEquals("sys:7", client.principal());
            assertEquals("127.0.0.1", client.host());
            assertTrue(client.isConfirmed());
            assertTrue(client.isRecovered());
            assertFalse(client.isExpired());
            assertEquals(
                    List.of(1, 2, 0, 1),
                    List.of(client.sessions(), client.held(), client.lost(), client.ranges()));

            assertEquals(2, seen.sessions(10).size());
            var open = seen.opens(10).getFirst();
            assertEquals(TestServer.EXPORT, open.file().export());
            assertEquals(inode, open.file().inode().orElseThrow());
            assertEquals(a.clientId(), open.client());
            assertEquals("owner", open.owner());
            assertEquals(Share.BOTH, open.access());
            assertEquals(Share.NONE, open.deny());

            var lock = seen.locks(10).getFirst();
            assertEquals(open.file(), lock.file());
            assertEquals(a.clientId(), lock.client());
            assertEquals("locker", lock.owner());
            assertTrue(lock.isExclusive());
            assertEquals(5, lock.offset());
            assertEquals(10, lock.length());
        }
    }

    @Test
    void endsAClient() throws Exception {
        try (var testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
                var server = TestServer.of(testDirectory)) {
            server.create(server.root(), "file");
            var a = CompoundClient.recovering(server, "a");
            a.last(reclaimComplete());
            var open = a.open(at("", open("file", Open.BOTH, 0)));
            a.last(at("file", lock(open, "locker", LockType.WRITE, 5, 10)));
            var seen = server.nfs.administration();
            assertEquals(Optional.empty(), seen.end(a.clientId() + 1));
            var ended = seen.end(a.clientId()).orElseThrow();
            assertEquals("a", ended.name());
            assertEquals(List.of(2, 1), List.of(ended.held(), ended.ranges()));
            assertEquals(List.of(), seen.opens(10));
            assertEquals(List.of(), seen.locks(10));
            assertEquals(new StateCounts(false, 1, 1, 0, 0, 0, 0), seen.counts());
            assertEquals(2, seen.clients(10).getFirst().lost());
            var tested = a.last(new StateArguments.TestStateId(List.of(open)));
            assertEquals(
                    List.of(Nfs4Status.ADMIN_REVOKED),
                    ((StateResult.TestStateId) tested).statuses());
            assertEquals(Nfs4Status.OK, a.status(at("", open("file", Open.BOTH, 0))));
            assertEquals(new StateCounts(false, 1, 1, 1, 0, 0, 0), seen.counts());
        }
    }

    @Test
    void countsTheOperationsOfVersion4() throws Exception {
        try (var testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
                var server = TestServer.of(testDirectory)) {
            var a = CompoundClient.recovering(server, "a");
            a.last(reclaimComplete());
            // The LOOKUP of the export succeeds, and OPEN finds no file.
            assertEquals(Nfs4Status.NOENT, a.status(at("", open("none", Open.BOTH, 0))));
            var counts = server.nfs.statistics();
            assertEquals(1, counts.operations(Opcode.EXCHANGE_ID));
            assertEquals(1, counts.operations(Opcode.CREATE_SESSION));
            assertEquals(2, counts.operations(Opcode.SEQUENCE));
            assertEquals(1, counts.operations(Opcode.LOOKUP));
            assertEquals(1, counts.operations(Opcode.OPEN));
            assertEquals(0, counts.operations(Opcode.CLOSE));
            assertEquals(8, counts.operations());
        }
    }
}
