package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results.Stability;
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
@MethodSource("io.github.rpcrdma4j.nfs.server.Ground#kinds")
class ConcurrencyTest {
    @Parameter Ground.Kind kind;
    private Ground ground;
    private Served served;
    private FileHandle root;

    @BeforeEach
    void serve() throws Exception {
        ground = Ground.of(kind);
        served = Served.of(ground);
        root = served.root();
    }

    @AfterEach
    void stop() throws Exception {
        served.close();
        ground.close();
    }

    @Test
    void writesOfOneFileAllArrive() throws Exception {
        var file = served.create(root, "file");
        int pieces = 64;
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var all = new ArrayList<Future<Nfs3Results.Written>>();
            for (int i = 0; i < pieces; i++) {
                long offset = i * 4L;
                var text = "%04d".formatted(i);
                all.add(threads.submit(() -> served.write(file, offset, text)));
            }
            for (var each : all) {
                assertEquals(4, each.get().count());
            }
        }
        for (int i = 0; i < pieces; i++) {
            assertEquals("%04d".formatted(i), served.read(file, i * 4L, 4));
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
        assertEquals(callers * files + 2, served.names(root).size());
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
            wcc.add(served.done(call).attributes());
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
                all.add(threads.submit(() -> served.call(call) instanceof Nfs3Reply.Ok));
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
            files.add(served.create(root, "file-" + i));
        }
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var all = new ArrayList<Future<String>>();
            for (int round = 0; round < 2; round++) {
                for (var file : files) {
                    all.add(
                            threads.submit(
                                    () -> {
                                        served.write(file, 0, file.toString());
                                        return served.read(file, 0, 1000);
                                    }));
                }
            }
            for (int i = 0; i < all.size(); i++) {
                assertEquals(files.get(i % files.size()).toString(), all.get(i).get());
            }
        }
    }

    @Test
    void anInterruptedCallIsCarriedOutAndHurtsNoOther() throws Exception {
        // When Jimfs closes a channel, it interrupts every thread that uses it.
        assumeTrue(kind == Ground.Kind.LOCAL, "only a real file system tells who was meant");
        var file = served.create(root, "file");
        served.write(file, 0, "hello");
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 20; i++) {
                var other = threads.submit(() -> served.read(file, 0, 9));
                var interrupted =
                        threads.submit(
                                () -> {
                                    Thread.currentThread().interrupt();
                                    var text = served.read(file, 0, 9);
                                    assertTrue(Thread.interrupted());
                                    return text;
                                });
                assertEquals("hello", interrupted.get());
                assertEquals("hello", other.get());
                assertEquals("hello", served.read(file, 0, 9));
                served.ok(Served.write(file, 0, Stability.FILE_SYNC, "hello"));
            }
        }
        assertFalse(Thread.interrupted());
    }
}
