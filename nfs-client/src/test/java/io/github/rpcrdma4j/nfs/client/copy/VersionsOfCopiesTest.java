package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.client.NfsClient;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: a copy is the same by each version of NFS, and leaves nothing open. Method: trees there and
 * back, over RDMA, with the project's server.
 */
@Timeout(120)
class VersionsOfCopiesTest {
    @TempDir private Path directory;
    private Path exported;
    private Path source;
    private NfsServer nfs;
    private RpcRdmaServer server;
    private final AtomicInteger files = new AtomicInteger();
    private final AtomicInteger unchanged = new AtomicInteger();
    private final List<String> failures = new ArrayList<>();

    private final CopyListener listener =
            new CopyListener() {
                @Override
                public void file(String name, long bytes) {
                    files.incrementAndGet();
                }

                @Override
                public void unchanged(String name) {
                    unchanged.incrementAndGet();
                }

                @Override
                public void failed(IOException why) {
                    failures.add(why.getMessage());
                }
            };

    @BeforeEach
    void serve() throws Exception {
        exported = Files.createDirectory(directory.resolve("exported"));
        Files.setPosixFilePermissions(exported, PosixFilePermissions.fromString("rwxrwxrwx"));
        source = Files.createDirectory(directory.resolve("source"));
        nfs = new NfsServer(List.of(new Export("/data", exported, false)), new byte[32]);
        var programs = new ArrayList<>(nfs.programs());
        programs.addAll(nfs.version2Programs());
        server =
                RpcRdmaServer.builder()
                        .provider(new IwarpProvider())
                        .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .programs(programs)
                        .start();
        var random = new Random(1);
        for (int i = 0; i < 200; i++) {
            var bytes = new byte[random.nextInt(3000)];
            random.nextBytes(bytes);
            Files.write(source.resolve("file" + i), bytes);
        }
        var inner = Files.createDirectories(source.resolve("a/b"));
        var large = new byte[3_000_001];
        random.nextBytes(large);
        Files.write(inner.resolve("large"), large);
        Files.createSymbolicLink(inner.resolve("link"), Path.of("../../file1"));
        Files.createLink(inner.resolve("second"), source.resolve("file2"));
        Files.createFile(inner.resolve("empty"));
        Files.setPosixFilePermissions(
                source.resolve("file3"), PosixFilePermissions.fromString("rw-r-----"));
        Files.setLastModifiedTime(source.resolve("file3"), FileTime.fromMillis(1_000_000_000_123L));
    }

    @AfterEach
    void stop() {
        server.close();
        nfs.close();
        assertEquals(0, server.leasedMemory());
        assertEquals(List.of(), failures);
    }

    private interface Using {
        void use(NfsMount mount, Copier copier) throws Exception;
    }

    private void mounted(NfsVersion version, PreservedAttributes kept, Using using)
            throws Exception {
        var caller = ProcessCredential.read();
        Connector connector =
                () ->
                        RpcRdmaClient.builder()
                                .provider(new IwarpProvider())
                                .credential(caller)
                                .binding(version.binding())
                                .connect(server.address());
        var options = ClientOptions.DEFAULT.withVersion(version).withCaller(caller);
        var service = NfsClient.connect(connector, connector, options);
        try (var mount = NfsMount.of(service, "/data")) {
            var copier = new Copier(mount, options, listener, kept);
            using.use(mount, copier);
            assertEquals(0, nfs.administration().opens(9).size());
            assertEquals(0, copier.leasedMemory());
        }
    }

    /** Returns all that a copy without attributes keeps. */
    private static TreeMap<String, String> contents(Path tree) throws IOException {
        var all = new TreeMap<String, String>();
        try (var paths = Files.walk(tree)) {
            for (var path : paths.toList()) {
                var what =
                        Files.isSymbolicLink(path)
                                ? "-> " + Files.readSymbolicLink(path)
                                : Files.isDirectory(path)
                                        ? "directory"
                                        : java.util.Arrays.hashCode(Files.readAllBytes(path))
                                                + " "
                                                + Files.size(path);
                all.put(tree.relativize(path).toString(), what);
            }
        }
        return all;
    }

    @ParameterizedTest
    @EnumSource
    void treesAreCopiedThereAndBack(NfsVersion version) throws Exception {
        var back = directory.resolve("back");
        mounted(
                version,
                PreservedAttributes.PERMISSIONS,
                (mount, copier) -> {
                    var trees = new TreeCopier(copier, _ -> true);
                    trees.put(source, mount.place("/data/tree"), "tree");
                    trees.get(mount.resolve("/data/tree"), "tree", back);
                });
        assertEquals(contents(source), contents(exported.resolve("tree")));
        assertEquals(contents(source), contents(back));
    }

    @ParameterizedTest
    @EnumSource
    void aCopyOnTheServerIsThatOfItsSource(NfsVersion version) throws Exception {
        mounted(
                version,
                PreservedAttributes.PERMISSIONS,
                (mount, copier) -> {
                    var trees = new TreeCopier(copier, _ -> true);
                    trees.put(source, mount.place("/data/tree"), "tree");
                    var there = mount.resolve("/data/tree");
                    trees.copy(there, "tree", mount.place("/data/copy"), "copy");
                });
        assertEquals(contents(source), contents(exported.resolve("copy")));
    }

    @ParameterizedTest
    @EnumSource
    void whatIsThereIsNotCopiedAgain(NfsVersion version) throws Exception {
        var rules =
                new CopyRules(
                        CopyRules.ALL,
                        CopyRules.Comparison.SIZE_AND_TIME,
                        new CopyRules.Deletion.Nothing(),
                        false,
                        false,
                        false);
        mounted(
                version,
                PreservedAttributes.ATTRIBUTES,
                (mount, copier) -> {
                    var trees = new TreeCopier(copier, rules);
                    trees.put(source, mount.place("/data/tree"), "tree");
                    int copied = files.getAndSet(0);
                    assertTrue(copied > 200, "files: " + copied);
                    trees.put(source, mount.place("/data/tree"), "tree");
                    assertEquals(0, files.get());
                    assertTrue(unchanged.get() > 200, "unchanged: " + unchanged);
                });
        var copy = exported.resolve("tree/file3");
        assertEquals(
                Files.getPosixFilePermissions(source.resolve("file3")),
                Files.getPosixFilePermissions(copy, LinkOption.NOFOLLOW_LINKS));
        assertEquals(
                Files.getLastModifiedTime(source.resolve("file3")),
                Files.getLastModifiedTime(copy));
    }

    @ParameterizedTest
    @EnumSource
    void aStreamIsWritten(NfsVersion version) throws Exception {
        var bytes = new byte[2_000_003];
        new Random(3).nextBytes(bytes);
        mounted(
                version,
                PreservedAttributes.PERMISSIONS,
                (mount, copier) ->
                        copier.put(
                                java.nio.channels.Channels.newChannel(
                                        new java.io.ByteArrayInputStream(bytes)),
                                mount.place("/data/stream"),
                                "stream"));
        assertArrayEquals(bytes, Files.readAllBytes(exported.resolve("stream")));
    }

    private long moved() {
        return server.statistics().value(Counter.WRITE_CHUNK_BYTES)
                + server.statistics().value(Counter.READ_CHUNK_BYTES);
    }

    private void copyOnServer(NfsVersion version, String from, String to) throws Exception {
        mounted(
                version,
                PreservedAttributes.PERMISSIONS,
                (mount, copier) ->
                        copier.copy(
                                mount.resolve("/data/" + from),
                                from,
                                mount.place("/data/" + to),
                                to));
    }

    @ParameterizedTest
    @EnumSource
    void bytesPassThroughThisSideUnlessTheServerCopies(NfsVersion version) throws Exception {
        var bytes = Files.readAllBytes(source.resolve("a/b/large"));
        Files.write(exported.resolve("large"), bytes);
        long before = moved();
        copyOnServer(version, "large", "copy");
        assertArrayEquals(bytes, Files.readAllBytes(exported.resolve("copy")));
        boolean isByServer = version == NfsVersion.VERSION_4_2;
        long moved = moved() - before;
        assertTrue(isByServer ? moved == 0 : moved > bytes.length, "moved: " + moved);
    }

    /** Holes lie in front of data, between and behind. */
    @ParameterizedTest
    @EnumSource
    void holesStayHoles(NfsVersion version) throws Exception {
        long size = 40L << 20;
        var data = new byte[100_000];
        new Random(5).nextBytes(data);
        try (var file =
                FileChannel.open(
                        exported.resolve("sparse"),
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.wrap(data), 8 << 20);
            file.write(ByteBuffer.wrap(data), 30 << 20);
            file.write(ByteBuffer.wrap(new byte[1]), size - 1);
            file.truncate(size - 1);
        }
        long blocks = blocks("sparse");
        assumeTrue(blocks < size / 2, "the file system has no holes");
        copyOnServer(version, "sparse", "copy");
        assertEquals(-1, Files.mismatch(exported.resolve("sparse"), exported.resolve("copy")));
        assertTrue(blocks("copy") < size / 2, "blocks: " + blocks("copy"));
    }

    private long blocks(String name) throws Exception {
        var du = new ProcessBuilder("du", "-B1", exported.resolve(name).toString()).start();
        var line = new String(du.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return Long.parseLong(line.split("\t")[0]);
    }

    /** Goal: version 4 opens, fills and closes a small file in one call, from 4.1 on. */
    @ParameterizedTest
    @CsvSource({"VERSION_4_0,4", "VERSION_4_1,2", "VERSION_4_2,2"})
    void aSmallFileTakesFewCallsThereAndOneBack(NfsVersion version, int calls) throws Exception {
        mounted(
                version,
                PreservedAttributes.PERMISSIONS,
                (mount, copier) -> {
                    var trees = new TreeCopier(copier, _ -> true);
                    long begun = server.statistics().value(Counter.CALLS);
                    trees.put(source, mount.place("/data/tree"), "tree");
                    long there = server.statistics().value(Counter.CALLS);
                    assertTrue(there - begun < calls * 200 + 60, "calls: " + (there - begun));
                    trees.get(mount.resolve("/data/tree"), "tree", directory.resolve("back"));
                    long back = server.statistics().value(Counter.CALLS) - there;
                    assertTrue(back < 200 + 60, "calls: " + back);
                });
        assertEquals(contents(source), contents(directory.resolve("back")));
    }
}
