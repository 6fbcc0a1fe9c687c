package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: a program reads, writes, lists and walks files by their paths. */
@Timeout(60)
class NfsFilesTest {
    private static final int MANY = 3000;
    private static final int LONG = (3 << 20) + 17;

    private Path root;
    private NfsServer nfs;
    private RpcRdmaServer server;
    private NfsFiles files;

    @BeforeEach
    void connect() throws Exception {
        root = Jimfs.newFileSystem(Configuration.unix()).getPath("/exported");
        Files.createDirectory(root);
        nfs = new NfsServer(List.of(new Export("/data", root, false)), new byte[32]);
        server =
                RpcRdmaServer.builder()
                        .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .programs(nfs.programs())
                        .start();
        files = NfsFiles.connect("rdma://127.0.0.1:" + server.address().getPort() + "/data");
    }

    @AfterEach
    void close() {
        files.close();
        server.close();
        nfs.close();
    }

    @Test
    void mountsOverTcpWhereTheServerWantsThat() throws Exception {
        var overRdma =
                nfs.programs().stream()
                        .filter(program -> program.id().number() == Nfs3.PROGRAM)
                        .toList();
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (var tcp = TcpRpcServer.listen(address, nfs.programs(), TcpRpcOptions.DEFAULT);
                var rdma = RpcRdmaServer.builder().address(address).programs(overRdma).start()) {
            var url = "rdma://127.0.0.1:" + rdma.address().getPort() + "/data";
            var version3 = ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3);
            assertThrows(IOException.class, () -> NfsFiles.connect(url, version3).close());
            try (var over = NfsFiles.connect(url, tcp.address(), version3)) {
                over.createDirectory("/data/made");
            }
        }
        assertTrue(files.exists("/data/made"));
    }

    private static byte[] bytes(int length) {
        var bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    @Test
    void readsAndWritesStreamsOfAnyLength() throws Exception {
        for (int length : new int[] {0, 1, 4096, LONG}) {
            var path = "/data/file-" + length;
            try (var out = files.newOutputStream(path)) {
                out.write(bytes(length));
            }
            assertArrayEquals(bytes(length), Files.readAllBytes(root.resolve("file-" + length)));
            try (var in = files.newInputStream(path)) {
                assertArrayEquals(bytes(length), in.readAllBytes());
            }
            assertEquals(length, files.attributes(path).size());
        }
    }

    /** Goal: a copy of a whole stream makes no more calls than one that reads it in parts. */
    @Test
    void copiesAStreamInWholeTransfers() throws Exception {
        Files.write(root.resolve("file"), bytes(LONG));
        try (var in = files.newInputStream("/data/file");
                var out = new ByteArrayOutputStream()) {
            assertEquals(bytes(LONG)[0], (byte) in.read());
            long before = server.statistics().value(Counter.CALLS);
            assertEquals(LONG - 1, in.transferTo(out));
            long calls = server.statistics().value(Counter.CALLS) - before;
            assertArrayEquals(Arrays.copyOfRange(bytes(LONG), 1, LONG), out.toByteArray());
            assertTrue(calls <= 10, "calls: " + calls);
        }
    }

    @Test
    void emptiesAFileThatIsThereBeforeItWritesIt() throws Exception {
        Files.write(root.resolve("file"), bytes(1000));
        try (var out = files.newOutputStream("/data/file")) {
            out.write(7);
        }
        assertArrayEquals(new byte[] {7}, Files.readAllBytes(root.resolve("file")));
    }

    @Test
    void readsAndWritesAtAnyPositionWithEitherKindOfBuffer() throws Exception {
        Files.write(root.resolve("file"), bytes(10_000));
        try (var channel =
                files.newByteChannel(
                        "/data/file", StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            for (var buffer : List.of(ByteBuffer.allocate(100), ByteBuffer.allocateDirect(100))) {
                buffer.position(10);
                channel.position(5000);
                assertEquals(90, channel.read(buffer));
                assertEquals(100, buffer.position());
                assertEquals(5090, channel.position());
                buffer.flip().position(10);
                channel.position(9950);
                assertEquals(90, channel.write(buffer));
                assertEquals(10_040, channel.size());
            }
            assertEquals(-1, channel.position(10_040).read(ByteBuffer.allocate(1)));
            assertEquals(0, channel.read(ByteBuffer.allocate(0)));
            channel.truncate(100);
            assertEquals(100, channel.size());
            assertEquals(100, channel.position());
        }
        assertEquals(100, Files.size(root.resolve("file")));
    }

    @Test
    void writesACopiedBufferAtItsPosition() throws Exception {
        var expected = bytes(10_000);
        Files.write(root.resolve("file"), expected);
        var change = bytes(333);
        System.arraycopy(change, 0, expected, 4444, change.length);
        try (var channel = files.newByteChannel("/data/file", StandardOpenOption.WRITE)) {
            channel.position(4444).write(ByteBuffer.wrap(change));
        }
        assertArrayEquals(expected, Files.readAllBytes(root.resolve("file")));
    }

    @Test
    void appendsWhereverItsPositionWas() throws Exception {
        Files.write(root.resolve("file"), new byte[] {1, 2});
        try (var channel = files.newByteChannel("/data/file", StandardOpenOption.APPEND)) {
            channel.position(0).write(ByteBuffer.wrap(new byte[] {3}));
        }
        assertArrayEquals(new byte[] {1, 2, 3}, Files.readAllBytes(root.resolve("file")));
    }

    @Test
    void opensAsTheOptionsSay() throws Exception {
        Files.write(root.resolve("file"), bytes(10));
        refused(Status.EXIST, "/data/file", StandardOpenOption.CREATE_NEW);
        refused(Status.NOENT, "/data/none");
        refused(Status.NOENT, "/data/none", StandardOpenOption.TRUNCATE_EXISTING);
        open("/data/new", StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW).close();
        assertTrue(files.exists("/data/new"));
        assertThrows(
                UnsupportedOperationException.class,
                () -> open("/data/file", StandardOpenOption.DELETE_ON_CLOSE));
        Files.createDirectory(root.resolve("directory"));
        refused(Status.ISDIR, "/data/directory");
        try (var channel = open("/data/file", StandardOpenOption.WRITE)) {
            assertThrows(
                    NonReadableChannelException.class, () -> channel.read(ByteBuffer.allocate(1)));
        }
        try (var channel = open("/data/file")) {
            assertThrows(
                    NonWritableChannelException.class, () -> channel.write(ByteBuffer.allocate(1)));
        }
        var closed = open("/data/file");
        closed.close();
        assertFalse(closed.isOpen());
        assertThrows(ClosedChannelException.class, closed::position);
    }

    @Test
    void combinesOptionsAsJavaDoes() throws Exception {
        var file = Files.write(root.resolve("file"), bytes(10));
        open("/data/file", StandardOpenOption.READ, StandardOpenOption.READ).close();
        for (var other : List.of(StandardOpenOption.READ, StandardOpenOption.TRUNCATE_EXISTING)) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> open("/data/file", StandardOpenOption.APPEND, other));
        }
        assertEquals(10, Files.size(file));
    }

    private SeekableByteChannel open(String path, StandardOpenOption... options) throws Exception {
        return files.newByteChannel(path, options);
    }

    private void refused(Status status, String path, StandardOpenOption... more) {
        var options = new StandardOpenOption[more.length + 1];
        System.arraycopy(more, 0, options, 0, more.length);
        options[more.length] = StandardOpenOption.WRITE;
        var refused = assertThrows(FileSystemException.class, () -> open(path, options));
        assertEquals(status, status(refused));
        assertEquals(path, refused.getFile());
    }

    private static Status status(Throwable failure) {
        return assertInstanceOf(NfsException.class, failure.getCause()).status();
    }

    /** What a program does with a file system. */
    private interface Use {
        void run(String path) throws Exception;
    }

    private void failsAsInJava(String path, Use overNfs, Use ofJava) {
        var expected = assertThrows(FileSystemException.class, () -> ofJava.run(root + path));
        var seen = assertThrows(FileSystemException.class, () -> overNfs.run("/data" + path));
        assertEquals(expected.getClass(), seen.getClass(), path);
        assertEquals("/data" + path, seen.getFile());
        assertInstanceOf(NfsException.class, seen.getCause());
    }

    private Path local(String path) {
        return root.getFileSystem().getPath(path);
    }

    /** Method: the same on the same files, with {@link Files}. */
    @Test
    void failsAsFilesOfJavaDo() throws Exception {
        Files.createDirectories(root.resolve("directory/below"));
        Files.createFile(root.resolve("file"));
        for (var path : List.of("/none", "/none/below")) {
            failsAsInJava(path, files::attributes, each -> Files.size(local(each)));
            failsAsInJava(path, files::delete, each -> Files.delete(local(each)));
            failsAsInJava(path, files::newInputStream, each -> Files.newInputStream(local(each)));
            failsAsInJava(path, files::list, each -> Files.list(local(each)));
            failsAsInJava(path, files::readLink, each -> Files.readSymbolicLink(local(each)));
            failsAsInJava(
                    path,
                    each -> files.rename(each, "/data/new"),
                    each -> Files.move(local(each), root.resolve("new")));
        }
        failsAsInJava(
                "/none/below", files::createDirectory, each -> Files.createDirectory(local(each)));
        for (var path : List.of("/file", "/directory")) {
            failsAsInJava(path, files::createDirectory, each -> Files.createDirectory(local(each)));
        }
        failsAsInJava("/directory", files::delete, each -> Files.delete(local(each)));
        failsAsInJava("/file", files::list, each -> Files.newDirectoryStream(local(each)));
    }

    @Test
    void listsADirectoryPageByPage() throws Exception {
        Files.createDirectory(root.resolve("many"));
        for (int i = 0; i < MANY; i++) {
            Files.createFile(root.resolve("many").resolve("a-name-of-some-length-" + i));
        }
        long before = nfsCalls();
        try (var few = files.list("/data/many").limit(3)) {
            assertEquals(3, few.count());
        }
        long forThree = nfsCalls() - before;
        try (var all = files.list("/data/many")) {
            assertEquals(MANY, all.map(entry -> entry.path().escaped()).distinct().count());
        }
        assertTrue(nfsCalls() - before - forThree > forThree, "all were asked for at once");
    }

    private long nfsCalls() {
        return server.statistics().value(Counter.CALLS);
    }

    @Test
    void walksATreeAndFollowsNoLinks() throws Exception {
        Files.createDirectories(root.resolve("tree/below"));
        Files.createFile(root.resolve("tree/file"));
        Files.createFile(root.resolve("tree/below/deep"));
        Files.createSymbolicLink(root.resolve("tree/loop"), root.getFileSystem().getPath("."));
        try (var entries = files.walk("/data/tree")) {
            assertEquals(
                    List.of(
                            "/data/tree",
                            "/data/tree/below",
                            "/data/tree/below/deep",
                            "/data/tree/file",
                            "/data/tree/loop"),
                    entries.map(entry -> entry.path().escaped()).sorted().toList());
        }
        assertEquals(".", files.readLink("/data/tree/loop").escaped());
    }

    /** Goal: who logs only the message reads the path and why it leads nowhere. */
    @Test
    void saysWhyALinkLeadsNowhere() throws Exception {
        var fileSystem = root.getFileSystem();
        Files.createSymbolicLink(root.resolve("loop"), fileSystem.getPath("loop"));
        Files.createSymbolicLink(root.resolve("out"), fileSystem.getPath("/etc/hostname"));
        var loop =
                assertThrows(FileSystemException.class, () -> files.newInputStream("/data/loop"));
        assertEquals("/data/loop: too many links on the way", loop.getMessage());
        var out = assertThrows(FileSystemException.class, () -> files.newInputStream("/data/out"));
        assertEquals(
                "/data/out: a link to /etc/hostname leads out of the export", out.getMessage());
    }

    @Test
    void nothingLeadsThroughAFile() throws Exception {
        Files.createFile(root.resolve("file"));
        Files.createSymbolicLink(root.resolve("link"), root.getFileSystem().getPath("file"));
        for (var path : List.of("file/..", "file/.", "link/../file", "file/x")) {
            assertThrows(
                    NotDirectoryException.class, () -> files.attributes("/data/" + path), path);
            assertFalse(files.exists("/data/" + path), path);
        }
    }

    /** Goal: where a mount is all that there is, its absolute links lead through it. */
    @Test
    void absoluteLinksLeadFromTheRootIfTheMountSaysSo() throws Exception {
        var fileSystem = root.getFileSystem();
        Files.createDirectories(root.resolve("below/deep"));
        Files.writeString(root.resolve("below/deep/file"), "x");
        Files.createSymbolicLink(root.resolve("link"), fileSystem.getPath("/data/below/./deep"));
        Files.createSymbolicLink(root.resolve("out"), fileSystem.getPath("/etc/hostname"));
        var url = NfsUrl.parse("rdma://127.0.0.1:" + server.address().getPort() + "/data");
        for (var version : List.of(NfsVersion.VERSION_3, NfsVersion.VERSION_4_2)) {
            var service = NfsClient.connect(url, ClientOptions.DEFAULT.withVersion(version));
            try (var mount = NfsMount.of(service, url.path(), NfsMount.AbsoluteLinks.FROM_ROOT)) {
                var real = mount.real(PathName.of("/data/below/../link/../deep/file"), true);
                assertEquals(PathName.of("/data/below/deep/file"), real.path());
                var out =
                        assertThrows(
                                NfsException.class,
                                () -> mount.resolve(PathName.of("/data/out"), true));
                assertEquals(Status.XDEV, out.status());
            }
        }
    }

    @Test
    void makesRenamesAndDeletes() throws Exception {
        files.createDirectory("/data/one");
        files.rename("/data/one", "/data/two");
        assertFalse(files.exists("/data/one"));
        assertTrue(files.attributes("/data/two").isDirectory());
        files.newOutputStream("/data/two/file").close();
        var refused =
                assertThrows(DirectoryNotEmptyException.class, () -> files.delete("/data/two"));
        assertEquals(Status.NOTEMPTY, status(refused));
        files.delete("/data/two/file");
        files.delete("/data/two");
        assertFalse(Files.exists(root.resolve("two")));
    }

    @Test
    void nothingExistsBelowWhatIsNoDirectory() throws Exception {
        Files.createFile(root.resolve("file"));
        Files.createSymbolicLink(root.resolve("link"), root.getFileSystem().getPath("nowhere"));
        for (var path : List.of("/data/no/file", "/data/file/under", "/data/link/x", "/other")) {
            assertFalse(files.exists(path), path);
        }
        assertTrue(files.exists("/data/link"));
    }

    @Test
    void anInterruptEndsAStreamAndStays() throws Exception {
        Files.createFile(root.resolve("file"));
        try (var entries = files.list("/data")) {
            Thread.currentThread().interrupt();
            var failure = assertThrows(UncheckedIOException.class, entries::count);
            assertInstanceOf(InterruptedIOException.class, failure.getCause());
            assertTrue(Thread.interrupted());
        }
    }

    @Test
    void onlyADirectoryIsListed() throws Exception {
        Files.createFile(root.resolve("file"));
        var refused = assertThrows(NotDirectoryException.class, () -> files.list("/data/file"));
        assertEquals(Status.NOTDIR, status(refused));
    }
}
