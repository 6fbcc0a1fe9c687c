package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.read;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.oncrpc.LogRecords;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: when a file system fails, the log of the server says so, and with which error. */
class FileSystemErrorsTest {
    private static final String FILE = "file";

    private final HangingStores stores = new HangingStores(TestServer.EXPORT, Set.of("Node.read"));
    private TestDirectory testDirectory;
    private TestServer server;
    private CompoundClient client;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
        Files.writeString(testDirectory.root().resolve(FILE), "text");
        var export = new Export(TestServer.EXPORT, testDirectory.root(), false);
        server = TestServer.of(List.of(export), stores);
        client = CompoundClient.of(server, "client");
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    private List<String> logged(Failure failure, boolean isVersion4) throws Exception {
        var file = server.lookup(server.root(), FILE);
        try (var log = new LogRecords(NfsServer.class)) {
            stores.fail(new StoreException(failure, "errno 5"));
            if (isVersion4) {
                var status = client.status(at(FILE, read(StateId.ANONYMOUS, 0, 4)));
                assertEquals(Nfs4Status.valueOf(failure.name()), status);
            } else {
                var status = server.status(new Nfs3Call.Read(file, 0, 4));
                assertEquals(Status.valueOf(failure.name()), status);
            }
            return List.copyOf(log.messages());
        }
    }

    @Test
    void anErrorOfAFileSystemIsLoggedWithItsNumber() throws Exception {
        assertEquals(
                List.of("a file system that is served failed: READ: errno 5"),
                logged(Failure.IO, false));
        assertEquals(List.of(), logged(Failure.IO, true), "once a minute");
    }

    @Test
    void soIsOneThatVersion4Met() throws Exception {
        assertEquals(
                List.of("a file system that is served failed: READ: errno 5"),
                logged(Failure.IO, true));
    }

    @Test
    void aRefusalIsNot() throws Exception {
        assertEquals(List.of(), logged(Failure.ACCES, false));
        assertEquals(List.of(), logged(Failure.NOSPC, true));
    }
}
