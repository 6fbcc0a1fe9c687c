package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.client.LoopbackClient;
import io.github.rpcrdma4j.nfs.client.LoopbackClient.Faults;
import io.github.rpcrdma4j.nfs.client.NfsClient;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.local.LocalException;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a copy is complete or absent. Method: lose the connection at every call. */
class CopiesTest {
    private static final ClientOptions OVER_VERSION_3 =
            ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3);

    private static final byte[] KEY = new byte[32];
    private static final Duration RETRY = Duration.ofSeconds(20);
    private static final int SIZE = 5_000_001;

    @TempDir private Path local;
    private final SegmentPool pool = new SegmentPool(1 << 26);
    private final AtomicReference<NfsServer> server = new AtomicReference<>();
    private volatile RpcDispatcher dispatcher;
    private final List<NfsServer> ended = new ArrayList<>();
    private Path exported;

    @BeforeEach
    void export() throws IOException {
        exported = fileSystem(1L << 30);
        restart();
    }

    @AfterEach
    void everythingIsGivenBack() {
        server.get().close();
        ended.forEach(NfsServer::close);
        assertEquals(0, pool.leased());
    }

    private static Path fileSystem(long bytesMax) throws IOException {
        var root =
                Jimfs.newFileSystem(Configuration.unix().toBuilder().setMaxSize(bytesMax).build())
                        .getPath("/exported");
        return Files.createDirectory(root);
    }

    /**
     * Replaces the server. The old one still executes the calls that it has begun, as if they had
     * come before its end.
     */
    private void restart() {
        NfsServer fresh;
        try {
            fresh = new NfsServer(List.of(new Export("/data", exported, false)), KEY);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        dispatcher = new RpcDispatcher(fresh.programs());
        var old = server.getAndSet(fresh);
        if (old != null) {
            ended.add(old);
        }
    }

    private NfsMount mount(Faults faults, ClientOptions options)
            throws IOException, InterruptedException {
        return mount(connector(faults), options);
    }

    private static NfsMount mount(Connector connector, ClientOptions options)
            throws IOException, InterruptedException {
        return NfsMount.of(NfsClient.connect(connector, connector, options), "/data");
    }

    private Connector connector(Faults faults) {
        return () -> {
            if (faults.serverIsGone()) {
                throw new RpcException.Unreachable("the server is gone", null);
            }
            return new LoopbackClient(dispatcher, faults, pool);
        };
    }

    private Path source() throws IOException {
        byte[] bytes = new byte[SIZE];
        new Random(SIZE).nextBytes(bytes);
        return Files.write(local.resolve("source"), bytes);
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    private void put(Path source, Faults faults, ClientOptions options)
            throws IOException, InterruptedException {
        put(source, connector(faults), options);
    }

    private static void put(Path source, Connector connector, ClientOptions options)
            throws IOException, InterruptedException {
        try (var mount = mount(connector, options)) {
            var copier = new Copier(mount, options, CopyListener.NONE);
            try {
                copier.put(source, mount.place("/data/file"), "file");
            } finally {
                assertEquals(0, copier.leasedMemory());
            }
        }
    }

    private void get(Path target, Faults faults, ClientOptions options)
            throws IOException, InterruptedException {
        try (var mount = mount(faults, options)) {
            var copier = new Copier(mount, options, CopyListener.NONE);
            copier.get(mount.resolve("/data/file"), "file", target);
        }
    }

    @Test
    void putsWholeFilesOrNoneWhereverTheConnectionIsLost() throws Exception {
        var source = source();
        var counting = Faults.none();
        put(source, counting, OVER_VERSION_3);
        Files.delete(exported.resolve("file"));
        for (int at = 1; at <= counting.calls(); at++) {
            for (boolean executed : new boolean[] {false, true}) {
                var faults = new Faults(at, executed).forGood();
                assertThrows(RpcException.class, () -> put(source, faults, OVER_VERSION_3));
                var file = exported.resolve("file");
                // The mode and the final name are set in one batch of calls.
                if (at < counting.calls() - 1) {
                    assertFalse(Files.exists(file), "lost at call " + at);
                } else if (Files.exists(file)) {
                    assertEquals(-1, Files.mismatch(source, file), "lost at call " + at);
                }
                for (var name : names(exported)) {
                    Files.delete(exported.resolve(name));
                }
            }
        }
    }

    @Test
    @Tag("8267-4-2")
    void finishesAPutWithARetryWhereverTheConnectionIsLost() throws Exception {
        var source = source();
        var counting = Faults.none();
        put(source, counting, OVER_VERSION_3);
        for (int at = 1; at <= counting.calls(); at++) {
            for (boolean executed : new boolean[] {false, true}) {
                Files.delete(exported.resolve("file"));
                put(source, new Faults(at, executed), OVER_VERSION_3.withRetry(RETRY));
                assertArrayEquals(
                        Files.readAllBytes(source),
                        Files.readAllBytes(exported.resolve("file")),
                        "lost at call " + at);
                assertEquals(List.of("file"), names(exported));
            }
        }
    }

    /**
     * Goal: a put survives a restart of the server. A restarted server has no stored replies, so it
     * executes retransmitted calls again.
     */
    @Test
    void finishesAPutWhereverTheServerIsStartedAgain() throws Exception {
        var source = source();
        var counting = Faults.none();
        put(source, counting, OVER_VERSION_3);
        for (int at = 1; at <= counting.calls(); at++) {
            Files.delete(exported.resolve("file"));
            var faults = new Faults(at, true);
            int lost = at;
            Connector connector =
                    () -> {
                        if (faults.calls() == lost) {
                            restart();
                        }
                        return new LoopbackClient(dispatcher, faults, pool);
                    };
            put(source, connector, OVER_VERSION_3.withRetry(RETRY));
            assertEquals(-1, Files.mismatch(source, exported.resolve("file")), "lost at " + at);
            assertEquals(List.of("file"), names(exported), "lost at " + at);
        }
    }

    /**
     * A client during whose RENAME another user removes the temporary file and makes a file of the
     * final name.
     */
    private final class Removing implements RpcClient {
        private final RpcClient server = new LoopbackClient(dispatcher, Faults.none(), pool);

        @Override
        public RpcReply call(RpcCall call, Duration timeout)
                throws RpcException, InterruptedException {
            if (call.program() == Nfs3.PROGRAM && call.procedure() == Procedure.RENAME.number()) {
                try {
                    for (var name : names(exported)) {
                        Files.delete(exported.resolve(name));
                    }
                    Files.writeString(exported.resolve("file"), "of another user");
                } catch (IOException failure) {
                    throw new AssertionError(failure);
                }
            }
            return server.call(call, timeout);
        }

        @Override
        public void close() {
            server.close();
        }
    }

    @Test
    void doesNotTakeTheFileOfAnotherForOneThatItHasRenamed() throws Exception {
        var source = source();
        var refused =
                assertThrows(NfsException.class, () -> put(source, Removing::new, OVER_VERSION_3));
        assertEquals(Status.NOENT, refused.status());
        assertEquals("of another user", Files.readString(exported.resolve("file")));
        assertEquals(List.of("file"), names(exported));
    }

    @Test
    void getsWholeFilesOrNoneWhereverTheConnectionIsLost() throws Exception {
        var source = source();
        put(source, Faults.none(), OVER_VERSION_3);
        var counting = Faults.none();
        var target = local.resolve("target");
        get(target, counting, OVER_VERSION_3);
        for (int at = 1; at <= counting.calls(); at++) {
            Files.delete(target);
            var faults = new Faults(at, false).forGood();
            assertThrows(RpcException.class, () -> get(target, faults, OVER_VERSION_3));
            assertEquals(List.of("source"), names(local), "lost at call " + at);
            get(target, new Faults(at, true), OVER_VERSION_3.withRetry(RETRY));
            assertArrayEquals(Files.readAllBytes(source), Files.readAllBytes(target));
        }
    }

    /**
     * Goal: uncommitted data is written again. Method: the server restarts with another write
     * verifier, and loses that data.
     */
    @Test
    void writesAgainWhatTheServerForgot() throws Exception {
        var source = source();
        var restarted = new boolean[1];
        Connector connector = () -> new LoopbackClient(dispatcher, Faults.none(), pool);
        var reported = new AtomicLong();
        var copied = new AtomicLong();
        var forgetful =
                new CopyListener() {
                    @Override
                    public void lost(long bytes) {
                        copied.addAndGet(-bytes);
                    }

                    @Override
                    public void file(String name, long bytes) {
                        reported.addAndGet(bytes);
                    }

                    @Override
                    public synchronized void copied(long bytes) {
                        copied.addAndGet(bytes);
                        try {
                            if (!restarted[0]) {
                                restarted[0] = true;
                                // Truncate before the new server starts: data written to the new
                                // server is not lost.
                                for (var name : names(exported)) {
                                    Files.write(exported.resolve(name), new byte[0]);
                                }
                                restart();
                            }
                        } catch (IOException failure) {
                            throw new AssertionError(failure);
                        }
                    }
                };
        // Each call uses a new connection, so that it reaches the newest server.
        Connector each =
                () ->
                        new RpcClient() {
                            @Override
                            public RpcReply call(RpcCall call, Duration timeout)
                                    throws RpcException, InterruptedException {
                                return connector.connect().call(call, timeout);
                            }

                            @Override
                            public void close() {}
                        };
        try (var mount = NfsMount.of(NfsClient.connect(each, each, OVER_VERSION_3), "/data")) {
            new Copier(mount, OVER_VERSION_3, forgetful)
                    .put(source, mount.place("/data/file"), "file");
        }
        assertTrue(restarted[0]);
        assertEquals(Files.size(source), reported.get());
        assertEquals(Files.size(source), copied.get());
        assertArrayEquals(Files.readAllBytes(source), Files.readAllBytes(exported.resolve("file")));
    }

    @Test
    void hasALargeFileCommittedOnceAndASmallOneWithItsWrite() throws Exception {
        put(source(), Faults.none(), OVER_VERSION_3);
        var statistics = server.get().statistics();
        assertEquals(5, statistics.calls(Procedure.WRITE));
        assertEquals(1, statistics.calls(Procedure.COMMIT));
        var small = Files.writeString(local.resolve("small"), "a few bytes");
        put(small, Faults.none(), OVER_VERSION_3);
        assertEquals(6, statistics.calls(Procedure.WRITE));
        assertEquals(1, statistics.calls(Procedure.COMMIT));
        assertEquals("a few bytes", Files.readString(exported.resolve("file")));
    }

    @Test
    void leavesNothingOnAServerThatIsFull() throws Exception {
        exported = fileSystem(2_000_000);
        restart();
        var source = source();
        var full =
                assertThrows(NfsException.class, () -> put(source, Faults.none(), OVER_VERSION_3));
        assertEquals(Status.NOSPC, full.status());
        assertEquals(List.of(), names(exported));
    }

    /** A client whose server executes calls out of order, and a cancelled call last of all. */
    private final class Late implements RpcClient {
        private final Thread copying = Thread.currentThread();
        private final RpcClient server = new LoopbackClient(dispatcher, Faults.none(), pool);
        private RpcCall givenUp;

        @Override
        public RpcReply call(RpcCall call, Duration timeout)
                throws RpcException, InterruptedException {
            if (call.program() == Nfs3.PROGRAM && call.procedure() == Procedure.CREATE.number()) {
                copying.interrupt();
                if (Thread.interrupted()) {
                    givenUp = call;
                    throw new InterruptedException();
                }
            }
            var reply = server.call(call, timeout);
            if (givenUp != null) {
                server.call(givenUp, timeout).close();
            }
            return reply;
        }

        @Override
        public void close() {
            server.close();
        }
    }

    @Test
    void leavesNothingOnAServerThatIsSlowToMakeAFileWhenInterrupted() throws Exception {
        var source = source();
        var late = new Late();
        try (var mount =
                NfsMount.of(NfsClient.connect(() -> late, () -> late, OVER_VERSION_3), "/data")) {
            var copier = new Copier(mount, OVER_VERSION_3, CopyListener.NONE);
            var target = mount.place("/data/file");
            assertThrows(InterruptedException.class, () -> copier.put(source, target, "file"));
            Thread.interrupted();
        }
        assertEquals(List.of(), names(exported));
    }

    /** Goal: the root of a file system, which lies in no directory, can be copied from and to. */
    @Test
    void copiesATreeIntoTheRootOfAFileSystemAndBack() throws Exception {
        Files.createDirectory(exported.resolve("tree"));
        Files.writeString(exported.resolve("tree").resolve("file"), "content");
        var root = Jimfs.newFileSystem(Configuration.unix()).getPath("/");
        try (var mount = mount(Faults.none(), OVER_VERSION_3)) {
            var copier = new Copier(mount, OVER_VERSION_3, CopyListener.NONE);
            var trees = new TreeCopier(copier, _ -> true);
            trees.get(mount.resolve("/data/tree"), "tree", root);
            assertEquals("content", Files.readString(root.resolve("file")));
            trees.put(root, mount.place("/data/back"), "back");
            assertEquals("content", Files.readString(exported.resolve("back").resolve("file")));

            var file = mount.resolve("/data/tree/file");
            var target = mount.place("/data/other");
            var get = assertThrows(LocalException.class, () -> copier.get(file, "file", root));
            assertEquals("cannot write /: is a directory", get.getMessage());
            var put = assertThrows(LocalException.class, () -> copier.put(root, target, "other"));
            assertEquals("cannot read /: is a directory", put.getMessage());
        }
    }
}
