package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: a call in progress ends as it began, although its export has gone meanwhile. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CallsOfGoneExportsTest {
    private final HangingStores stores = new HangingStores("/goes", Set.of("Node.read"));
    private TestDirectory testDirectory;
    private TestServer server;
    private Export stays;
    private Export goes;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.POSIX);
        stays = export("stays");
        goes = export("goes");
        server = TestServer.of(List.of(stays, goes), stores);
    }

    private Export export(String name) throws Exception {
        var root = Files.createDirectory(testDirectory.root().resolve(name));
        Files.writeString(root.resolve("file"), name);
        return new Export("/" + name, root, false);
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    @Test
    void aReadThatHangsGoesOnAndHoldsUpNoReplacement() throws Exception {
        var file = server.lookup(server.root("/goes"), "file");
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            stores.hang();
            var reading = threads.submit(() -> server.read(file, 0, 9));
            stores.awaitBlocked();
            assertEquals(List.of("/goes"), server.nfs.replaceExports(List.of(stays)).removed());
            assertEquals(Status.STALE, server.status(new Nfs3Call.GetAttributes(file)));
            assertEquals(List.of("/goes"), server.nfs.replaceExports(List.of(stays, goes)).added());
            assertEquals(Status.OK, server.status(new Nfs3Call.GetAttributes(file)));
            assertFalse(reading.isDone());
            stores.goOn();
            assertEquals("goes", reading.get());
        }
    }
}
