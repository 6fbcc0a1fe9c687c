package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.client.FileOwner;
import io.github.rpcrdma4j.nfs.client.NfsClient;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.v3.Nfs3Client;
import io.github.rpcrdma4j.nfs.client.v3.Nfs3Service;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a tree survives a round trip unchanged. Method: copy it to a server and back, over both
 * transports.
 */
class TreesTest {
    private static final ClientOptions OVER_VERSION_3 =
            ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3);

    private static final int[] SIZES = {0, 1, 3, 4095, 4097, 1048575, 1048577, 9_000_001};
    private static final int MANY = 5000;
    private static final InetSocketAddress ANY_PORT =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    @TempDir private Path directory;
    private Path exported;
    private Path source;
    private Credential caller;
    private NfsServer nfs;
    private RpcRdmaServer rdma;
    private TcpRpcServer tcp;

    /** Counts the events of a copy. */
    private static final class Counting implements CopyListener {
        private final AtomicLong expected = new AtomicLong();
        private final AtomicLong copied = new AtomicLong();
        private final AtomicLong files = new AtomicLong();

        @Override
        public void expect(long bytes) {
            expected.addAndGet(bytes);
        }

        @Override
        public void copied(long bytes) {
            copied.addAndGet(bytes);
        }

        @Override
        public void file(String name, long bytes) {
            files.incrementAndGet();
        }
    }

    @BeforeEach
    void serve() throws IOException, InterruptedException {
        exported = Files.createDirectory(directory.resolve("exported"));
        source = Files.createDirectory(directory.resolve("source"));
        // The test user owns the directory, and other users may not write to it.
        caller = FileOwner.of(exported);
        nfs = new NfsServer(List.of(new Export("/data", exported, false)), new byte[32]);
        rdma =
                RpcRdmaServer.builder()
                        .provider(new IwarpProvider())
                        .address(ANY_PORT)
                        .programs(nfs.programs())
                        .start();
        tcp = TcpRpcServer.listen(ANY_PORT, nfs.programs(), TcpRpcOptions.DEFAULT);
    }

    @AfterEach
    void everythingIsGivenBack() {
        tcp.close();
        rdma.close();
        nfs.close();
        assertEquals(0, rdma.leasedMemory());
    }

    private Connector overRdma() {
        return () ->
                RpcRdmaClient.builder()
                        .provider(new IwarpProvider())
                        .credential(caller)
                        .binding(Nfs3Binding.BINDING)
                        .connect(rdma.address());
    }

    private Connector overTcp() {
        return () -> TcpRpcClient.connect(tcp.address(), caller, OVER_VERSION_3.timeout());
    }

    private void fillSource() throws IOException {
        for (int size : SIZES) {
            byte[] bytes = new byte[size];
            new Random(size).nextBytes(bytes);
            Files.write(source.resolve("file" + size), bytes);
        }
        Files.writeString(source.resolve("nämé with spaces, 100% ☃ #?"), "odd");
        Files.writeString(source.resolve("x".repeat(255)), "long");
        Files.createSymbolicLink(source.resolve("link"), Path.of("file3"));
        Files.createSymbolicLink(source.resolve("nowhere"), Path.of("../../no such file"));
        Files.createDirectories(source.resolve("a/b/empty"));
        Files.writeString(source.resolve("a/b/deep"), "deep");
        assertTrue(Files.writeString(source.resolve("tool"), "#!").toFile().setExecutable(true));
    }

    /** Returns the contents of a directory tree: each name with the type or content of its file. */
    private static TreeMap<String, Object> content(Path root) throws IOException {
        var content = new TreeMap<String, Object>();
        try (var all = Files.walk(root)) {
            for (var each : all.toList()) {
                Object value;
                if (Files.isSymbolicLink(each)) {
                    value = Files.readSymbolicLink(each);
                } else if (Files.isDirectory(each)) {
                    value = "directory";
                } else {
                    value = Files.isExecutable(each) + " " + hash(each);
                }
                content.put(root.relativize(each).toString(), value);
            }
        }
        return content;
    }

    private static int hash(Path file) throws IOException {
        return Arrays.hashCode(Files.readAllBytes(file));
    }

    private void putAndGet(Connector nfsConnector, Connector mountConnector) throws Exception {
        fillSource();
        var client = NfsClient.connect(nfsConnector, mountConnector, OVER_VERSION_3);
        try (var mount = NfsMount.of(client, "/data")) {
            var put = new Counting();
            var copier = new Copier(mount, OVER_VERSION_3, put);
            new TreeCopier(copier, _ -> true).put(source, mount.place("/data/tree"), "tree");
            assertEquals(put.expected.get(), put.copied.get());
            assertEquals(content(source), content(exported.resolve("tree")));

            var get = new Counting();
            var back = directory.resolve("back");
            var second = new Copier(mount, OVER_VERSION_3, get);
            var tree = mount.resolve("/data/tree");
            new TreeCopier(second, _ -> true).get(tree, "tree", back);
            assertEquals(put.copied.get(), get.copied.get());
            assertEquals(put.files.get(), get.files.get());
            assertEquals(content(source), content(back));
            assertEquals(0, copier.leasedMemory() + second.leasedMemory());
        }
    }

    @Test
    @Tag("8166-6.3-1")
    void copiesATreeInAndBackOverRdma() throws Exception {
        var both = overRdma();
        putAndGet(both, both);
    }

    @Test
    void letsNoOthersUseACopyThanTheOriginal() throws Exception {
        setMode(Files.writeString(source.resolve("mine"), "mine"), "rw-------");
        setMode(Files.writeString(source.resolve("ours"), "ours"), "r-xr-x---");
        var closed = Files.createDirectory(source.resolve("closed"));
        Files.writeString(closed.resolve("inner"), "inner");
        setMode(closed, "rwx------");
        var client = NfsClient.connect(overTcp(), overTcp(), OVER_VERSION_3);
        try (var mount = NfsMount.of(client, "/data")) {
            var copier = new Copier(mount, OVER_VERSION_3, new Counting());
            new TreeCopier(copier, _ -> true).put(source, mount.place("/data/tree"), "tree");
            var back = directory.resolve("back");
            new TreeCopier(copier, _ -> true).get(mount.resolve("/data/tree"), "tree", back);
            for (var copy : List.of(exported.resolve("tree"), back)) {
                assertEquals("rw-------", mode(copy.resolve("mine")));
                assertEquals("rwx------", mode(copy.resolve("closed")));
            }
            assertEquals("r-xr-x---", mode(exported.resolve("tree/ours")));
        }
    }

    private static void setMode(Path file, String mode) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    void copiesATreeInAndBackOverTcp() throws Exception {
        var both = overTcp();
        putAndGet(both, both);
    }

    @Test
    void mountsOverAnotherTransportThanItReads() throws Exception {
        putAndGet(overRdma(), overTcp());
    }

    @Test
    void copiesADirectoryOfManyFiles() throws Exception {
        for (int i = 0; i < MANY; i++) {
            Files.writeString(source.resolve("file-" + i), "content " + i);
        }
        var connector = overRdma();
        var client = NfsClient.connect(connector, connector, OVER_VERSION_3);
        try (var mount = NfsMount.of(client, "/data")) {
            var copier = new Copier(mount, OVER_VERSION_3, CopyListener.NONE);
            var trees = new TreeCopier(copier, _ -> true);
            trees.put(source, mount.place("/data/many"), "many");
            var many = mount.resolve("/data/many");
            assertEquals(MANY, mount.list(many.handle(), "many").size());
            new TreeCopier(copier, _ -> true).get(many, "many", directory.resolve("back"));
        }
        assertEquals(content(source), content(directory.resolve("back")));
    }

    @Test
    void copiesAFileAsItIsWhenItsTurnComes() throws Exception {
        var tree = Files.createDirectory(exported.resolve("tree"));
        var files = List.of(tree.resolve("a"), tree.resolve("b"));
        for (var file : files) {
            Files.writeString(file, "");
        }
        var growing =
                new CopyListener() {
                    @Override
                    public void file(String name, long bytes) {
                        for (var file : files) {
                            boolean isOther = !name.endsWith(file.getFileName().toString());
                            write(file, isOther ? "grown" : "");
                        }
                    }

                    private void write(Path file, String text) {
                        try {
                            Files.writeString(file, text);
                        } catch (IOException failure) {
                            throw new UncheckedIOException(failure);
                        }
                    }
                };
        var one = new ClientOptions(Duration.ofSeconds(30), Duration.ZERO, 8, 1);
        try (var mount = mountOverRdma()) {
            var copier = new Copier(mount, one, growing);
            new TreeCopier(copier, _ -> true)
                    .get(mount.resolve("/data/tree"), "tree", directory.resolve("back"));
        }
        var copied =
                Files.readString(directory.resolve("back/a"))
                        + Files.readString(directory.resolve("back/b"));
        assertEquals("grown", copied);
    }

    @Test
    void failsWithAFileThatBecomesShorterBehindAHole() throws Exception {
        var sparse = source.resolve("sparse");
        try (var file = new RandomAccessFile(sparse.toFile(), "rw")) {
            file.write(new byte[2 << 20]);
            file.seek(40 << 20);
            file.write(new byte[2 << 20]);
        }
        var shrinking =
                new CopyListener() {
                    @Override
                    public void copied(long bytes) {
                        try (var file = new RandomAccessFile(sparse.toFile(), "rw")) {
                            file.setLength(1 << 20);
                        } catch (IOException failure) {
                            throw new UncheckedIOException(failure);
                        }
                    }
                };
        var one = new ClientOptions(Duration.ofSeconds(30), Duration.ZERO, 1, 1);
        try (var mount = mountOverRdma()) {
            var copier = new Copier(mount, one, shrinking);
            assertThrows(
                    EOFException.class,
                    () -> copier.put(sparse, mount.place("/data/sparse"), "sparse"));
        }
        assertFalse(Files.exists(exported.resolve("sparse")));
    }

    @Test
    void leavesDirectoriesAloneThatAreInTheWayOfALink() throws Exception {
        Files.createSymbolicLink(exported.resolve("name"), Path.of("/elsewhere"));
        var inTheWay = Files.createDirectories(directory.resolve("back/name"));
        var connector = overRdma();
        var client = NfsClient.connect(connector, connector, OVER_VERSION_3);
        try (var mount = NfsMount.of(client, "/data")) {
            var copier = new Copier(mount, OVER_VERSION_3, CopyListener.NONE);
            var root = mount.resolve("/data");
            assertThrows(
                    IncompleteTreeException.class,
                    () ->
                            new TreeCopier(copier, _ -> true)
                                    .get(root, "data", directory.resolve("back")));
        }
        assertTrue(Files.isDirectory(inTheWay, LinkOption.NOFOLLOW_LINKS));
    }

    @Test
    void keepsWhichNamesAreOfOneFileOfFilesAndOfLinks() throws Exception {
        for (var name : List.of("file", "link")) {
            var first = source.resolve(name);
            if (name.equals("link")) {
                Files.createSymbolicLink(first, Path.of("nowhere"));
            } else {
                Files.writeString(first, "content");
            }
            Files.createLink(source.resolve(name + " again"), first);
        }
        var client = NfsClient.connect(overTcp(), overTcp(), OVER_VERSION_3);
        try (var mount = NfsMount.of(client, "/data")) {
            var copier =
                    new Copier(mount, OVER_VERSION_3, CopyListener.NONE, PreservedAttributes.ALL);
            new TreeCopier(copier, _ -> true).put(source, mount.place("/data/tree"), "tree");
            var back = directory.resolve("back");
            new TreeCopier(copier, _ -> true).get(mount.resolve("/data/tree"), "tree", back);
            for (var copy : List.of(exported.resolve("tree"), back)) {
                for (var name : List.of("file", "link")) {
                    assertEquals(
                            file(copy.resolve(name)),
                            file(copy.resolve(name + " again")),
                            () -> name + " in " + copy);
                }
            }
        }
    }

    /** Returns the inode that a name stands for. */
    private static Object file(Path name) throws IOException {
        return Files.getAttribute(name, "unix:ino", LinkOption.NOFOLLOW_LINKS);
    }

    @Test
    void copiesFilesWithTimesThatNfsDoesNotHaveAndNamesThem() throws Exception {
        for (var name : List.of("old", "older")) {
            var file = Files.writeString(source.resolve(name), name);
            Files.setLastModifiedTime(file, FileTime.fromMillis(-2_000));
        }
        var client = NfsClient.connect(overTcp(), overTcp(), OVER_VERSION_3);
        var failures = new ArrayList<String>();
        var listener =
                new CopyListener() {
                    @Override
                    public void failed(IOException why) {
                        failures.add(why.getMessage());
                    }
                };
        try (var mount = NfsMount.of(client, "/data")) {
            var copier = new Copier(mount, OVER_VERSION_3, listener, PreservedAttributes.ALL);
            assertThrows(
                    IncompleteTreeException.class,
                    () ->
                            new TreeCopier(copier, _ -> true)
                                    .put(source, mount.place("/data/tree"), "tree"));
        }
        assertEquals(content(source), content(exported.resolve("tree")));
        assertEquals(
                FileTime.fromMillis(0), Files.getLastModifiedTime(exported.resolve("tree/old")));
        assertEquals(1, failures.size(), failures::toString);
        assertTrue(
                failures.getFirst()
                        .matches(
                                "cannot keep the times of tree/old(er)? and 1 more: NFS version 3"
                                        + " has none before 1970 and after 2106"),
                failures::toString);
    }

    @Test
    void readsTheEndOfASparseFile() throws Exception {
        long end = 5L << 30;
        try (var file = new RandomAccessFile(exported.resolve("big").toFile(), "rw")) {
            file.seek(end - 3);
            file.write(new byte[] {1, 2, 3});
        }
        var connector = overRdma();
        var client = new Nfs3Client(connector, connector, OVER_VERSION_3, NfsVersion.VERSION_3);
        try (var mount = NfsMount.of(new Nfs3Service(client), "/data");
                var arena = Arena.ofShared()) {
            var big = mount.resolve("/data/big");
            assertEquals(end, big.attributes().size());
            byte[] last =
                    client.call(
                            new Nfs3Call.Read(
                                    new io.github.rpcrdma4j.nfs.v3.FileHandle(big.handle().bytes()),
                                    end - 5,
                                    4096),
                            List.of(arena.allocate(4096)),
                            (_, read) -> {
                                assertTrue(read.endOfFile());
                                return read.data().toArray(ValueLayout.JAVA_BYTE);
                            });
            assertArrayEquals(new byte[] {0, 0, 1, 2, 3}, last);
        }
    }

    @Test
    void stopsACopyThatIsInterrupted() throws Exception {
        fillSource();
        var copying = Thread.currentThread();
        var interrupting =
                new CopyListener() {

                    @Override
                    public void copied(long bytes) {
                        copying.interrupt();
                    }
                };
        try (var mount = mountOverRdma()) {
            var copier = new Copier(mount, OVER_VERSION_3, interrupting);
            var target = mount.place("/data/file");
            assertThrows(
                    InterruptedException.class,
                    () -> copier.put(source.resolve("file9000001"), target, "file"));
            Thread.interrupted();
            assertEquals(0, copier.leasedMemory());
        }
        // If a server still reads memory that was withdrawn, the connection is lost and the
        // temporary file stays. Nothing ever appears under the final name.
        assertFalse(Files.exists(exported.resolve("file")));

        Files.copy(source.resolve("file9000001"), exported.resolve("file"));
        var back = Files.createDirectory(directory.resolve("back"));
        try (var mount = mountOverRdma()) {
            var copier = new Copier(mount, OVER_VERSION_3, interrupting);
            var file = mount.resolve("/data/file");
            assertThrows(
                    InterruptedException.class,
                    () -> copier.get(file, "file", back.resolve("file")));
            Thread.interrupted();
            assertEquals(1, content(back).size());
            assertEquals(0, copier.leasedMemory());
        }
    }

    private NfsMount mountOverRdma() throws IOException, InterruptedException {
        var connector = overRdma();
        return NfsMount.of(NfsClient.connect(connector, connector, OVER_VERSION_3), "/data");
    }
}
