package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.server.admin.ServedOpen.Share;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: administrators see what clients hold, and take it away. */
class AdministrationTest {
    @Test
    void showsClientsSessionsOpensAndLocks() throws Exception {
        try (var testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
                var server = TestServer.of(testDirectory)) {
            var inode = server.attributes(server.create(server.root(), "file")).fileId();
            var a = new Nfs4Client(server, "a", 7);
            a.reclaimComplete();
            a.lock("file", Nfs4Client.opened(a.open("file")), false);
            new Nfs4Client(server, "b", 0);
            var seen = server.nfs.administration();

            assertEquals(2, seen.clients(10).size());
            assertEquals(1, seen.clients(1).size());
            var client =
                    seen.clients(10).stream()
                            .filter(each -> each.id() == a.id())
                            .findFirst()
                            .orElseThrow();
            assertEquals("a", client.name());
            assertEquals("sys:7", client.principal());
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
            assertEquals(a.id(), open.client());
            assertEquals("owner of a", open.owner());
            assertEquals(Share.BOTH, open.access());
            assertEquals(Share.NONE, open.deny());

            var lock = seen.locks(10).getFirst();
            assertEquals(open.file(), lock.file());
            assertEquals(a.id(), lock.client());
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
            var a = new Nfs4Client(server, "a", 0);
            a.reclaimComplete();
            var open = Nfs4Client.opened(a.open("file"));
            a.lock("file", open, false);
            var seen = server.nfs.administration();
            assertFalse(seen.end(a.id() + 1));
            assertTrue(seen.end(a.id()));
            assertEquals(List.of(), seen.opens(10));
            assertEquals(List.of(), seen.locks(10));
            assertEquals(2, seen.clients(10).getFirst().lost());
            var tested = a.call(new StateArguments.TestStateId(List.of(open)));
            assertEquals(
                    List.of(Nfs4Status.ADMIN_REVOKED),
                    ((StateResult.TestStateId) tested.results().getLast()).statuses());
            assertEquals(Nfs4Status.OK, a.open("file").status());
        }
    }

    @Test
    void countsTheOperationsOfVersion4() throws Exception {
        try (var testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
                var server = TestServer.of(testDirectory)) {
            var a = new Nfs4Client(server, "a", 0);
            a.reclaimComplete();
            // The LOOKUP of the export succeeds, and OPEN finds no file.
            assertEquals(Nfs4Status.NOENT, a.open("none").status());
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
