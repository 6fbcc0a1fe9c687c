package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.WccData;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Goal: concurrent calls do not disturb each other. */
@ParameterizedClass
@MethodSource("io.github.rpcrdma4j.nfs.directories.TestDirectory#kinds")
class ConcurrencyTest {
    @Parameter TestDirectory.Kind kind;
    private TestDirectory testDirectory;
    private TestServer server;
    private FileHandle root;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(kind);
        server = TestServer.of(testDirectory);
        root = server.root();
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    @Test
    void writesOfOneFileAllArrive() throws Exception {
        var file = server.create(root, "file");
        int pieces = 64;
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var all = new ArrayList<Future<Nfs3Results.Written>>();
            for (int i = 0; i < pieces; i++) {
                long offset = i * 4L;
                var text = "%04d".formatted(i);
                all.add(threads.submit(() -> server.write(file, offset, text)));
            }
            for (var each : all) {
                assertEquals(4, each.get().count());
            }
        }
        for (int i = 0; i < pieces; i++) {
            assertEquals("%04d".formatted(i), server.read(file, i * 4L, 4));
        }
    }

    @Test
    void filesOfManyCallersAreAllMade() throws Exception {
        int callers = 8;
        int files = 20;
        var all = new ArrayList<Future<List<WccData>>>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < callers; i++) {
                var prefix = "file-" + i + "-";
                all.add(threads.submit(() -> makeMany(prefix, files)));
            }
        }
        for (var each : all) {
            for (var wcc : each.get()) {
                assertTrue(wcc.after().isPresent());
            }
        }
        assertEquals(callers * files + 2, server.names(root).size());
        // Without concurrent calls, the attributes from before a change are present again.
        assertTrue(makeMany("last-", 1).getFirst().before().isPresent());
    }

    private List<WccData> makeMany(String prefix, int files) throws Exception {
        var wcc = new ArrayList<WccData>();
        for (int i = 0; i < files; i++) {
            var call =
                    new Nfs3Call.Create(
                            new DirOpArgs(root, prefix + i),
                            new CreateMode.Guarded(SetAttributes.NONE));
            wcc.add(server.done(call).attributes());
        }
        return wcc;
    }

    @Test
    void exactlyOneCallerMakesAFile() throws Exception {
        var call =
                new Nfs3Call.Create(
                        new DirOpArgs(root, "file"), new CreateMode.Guarded(SetAttributes.NONE));
        var all = new ArrayList<Future<Boolean>>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 16; i++) {
                all.add(threads.submit(() -> server.call(call) instanceof Nfs3Reply.Ok));
            }
        }
        int made = 0;
        for (var each : all) {
            made += each.get() ? 1 : 0;
        }
        assertEquals(1, made);
    }

    @Test
    void moreFilesAreInUseThanAreKeptOpen() throws Exception {
        var files = new ArrayList<FileHandle>();
        for (int i = 0; i < 300; i++) {
            files.add(server.create(root, "file-" + i));
        }
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var all = new ArrayList<Future<String>>();
            for (int round = 0; round < 2; round++) {
                for (var file : files) {
                    all.add(
                            threads.submit(
                                    () -> {
                                        server.write(file, 0, file.toString());
                                        return server.read(file, 0, 1000);
                                    }));
                }
            }
            for (int i = 0; i < all.size(); i++) {
                assertEquals(files.get(i % files.size()).toString(), all.get(i).get());
            }
        }
    }

    @Test
    void anInterruptedCallIsExecutedAndHurtsNoOther() throws Exception {
        // When Jimfs closes a channel, it interrupts every thread that uses it.
        assumeTrue(
                kind == TestDirectory.Kind.LOCAL,
                "other file systems interrupt every user of a channel");
        var file = server.create(root, "file");
        server.write(file, 0, "hello");
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 20; i++) {
                var other = threads.submit(() -> server.read(file, 0, 9));
                var interrupted =
                        threads.submit(
                                () -> {
                                    Thread.currentThread().interrupt();
                                    var text = server.read(file, 0, 9);
                                    assertTrue(Thread.interrupted());
                                    return text;
                                });
                assertEquals("hello", interrupted.get());
                assertEquals("hello", other.get());
                assertEquals("hello", server.read(file, 0, 9));
                server.ok(TestServer.write(file, 0, Stability.FILE_SYNC, "hello"));
            }
        }
        assertFalse(Thread.interrupted());
    }
}
