package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v4.operation.DataResult;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: a READ at the end of a file that grows meanwhile gets bytes, or hears of the end. A program
 * on Linux gets EIO for a reply with neither, even one that only writes: its client reads a page
 * before it changes a part of it.
 */
@ParameterizedClass
@MethodSource("io.github.rpcrdma4j.nfs.directories.TestDirectory#kinds")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReadsAtTheEndTest {
    private static final String FILE = "file";

    private final HangingStores stores = new HangingStores(TestServer.EXPORT, Set.of("Node.read"));

    @Parameter TestDirectory.Kind kind;
    private TestDirectory testDirectory;
    private TestServer server;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(kind);
        Files.writeString(testDirectory.root().resolve(FILE), "text");
        var export = new Export(TestServer.EXPORT, testDirectory.root(), false);
        server = TestServer.of(List.of(export), stores);
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    /** Calls the server. The file grows between its look at the size and its read. */
    private <T> T whileTheFileGrows(Callable<T> call) throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            stores.hang();
            var reading = threads.submit(call);
            stores.awaitBlocked();
            Files.writeString(
                    testDirectory.root().resolve(FILE), " and more", StandardOpenOption.APPEND);
            stores.goOn();
            return reading.get();
        }
    }

    @Test
    void versionThreeGetsBytesOrTheEnd() throws Exception {
        var file = server.lookup(server.root(), FILE);
        for (long offset : new long[] {4, 15, 1 << 20}) {
            var call = new Nfs3Call.Read(file, offset, 4096);
            var read = whileTheFileGrows(() -> server.ok(call));
            assertFalse(
                    read.data().byteSize() == 0 && !read.endOfFile(),
                    () -> "offset " + offset + ": neither bytes nor the end");
        }
    }

    @Test
    void versionFourGetsBytesOrTheEnd() throws Exception {
        var client = CompoundClient.of(server, "client");
        for (long offset : new long[] {4, 15, 1 << 20}) {
            var reply =
                    whileTheFileGrows(
                            () -> client.last(at(FILE, read(StateId.ANONYMOUS, offset, 4096))));
            var read = (DataResult.Read) reply;
            assertFalse(
                    read.data().byteSize() == 0 && !read.isEndOfFile(),
                    () -> "offset " + offset + ": neither bytes nor the end");
        }
    }

    @Test
    void whoWantsNoByteGetsNone() throws Exception {
        var file = server.lookup(server.root(), FILE);
        var read = whileTheFileGrows(() -> server.ok(new Nfs3Call.Read(file, 4, 0)));
        assertEquals(0, read.data().byteSize());
    }
}
