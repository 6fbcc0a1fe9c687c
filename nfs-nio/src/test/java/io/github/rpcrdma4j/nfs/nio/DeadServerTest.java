package io.github.rpcrdma4j.nfs.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.client.NfsUrl.Transport;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.AclFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/**
 * Goal: a program whose server is gone goes on, by a deadline, with one exception that names the
 * server; and when the server is back, so are its files.
 */
class DeadServerTest extends ChannelUser {
    private static final Duration TIMEOUT = Duration.ofMillis(500);

    DeadServerTest() {
        super(Transport.RDMA);
    }

    /** What a program has open when the server goes. */
    private record Open(Path file, FileChannel channel, AsynchronousFileChannel later) {}

    private interface Use {
        void of(Open open) throws Exception;
    }

    /** Each kind of operation of a file system. */
    enum Operation {
        ATTRIBUTES(open -> Files.readAttributes(open.file(), "posix:*")),
        ACCESS(open -> open.file().getFileSystem().provider().checkAccess(open.file())),
        REAL_PATH(open -> open.file().toRealPath()),
        SAME_FILE(open -> Files.isSameFile(open.file(), open.file().resolveSibling("other"))),
        LIST(open -> Files.newDirectoryStream(open.file().getParent()).close()),
        SPACE(open -> Files.getFileStore(open.file())),
        OPEN(open -> Files.newByteChannel(open.file()).close()),
        CREATE(open -> Files.createFile(open.file().resolveSibling("new"))),
        DIRECTORY(open -> Files.createDirectory(open.file().resolveSibling("new"))),
        LINK(open -> Files.createLink(open.file().resolveSibling("new"), open.file())),
        SYMBOLIC_LINK(
                open -> Files.createSymbolicLink(open.file().resolveSibling("new"), open.file())),
        READ_LINK(open -> Files.readSymbolicLink(open.file())),
        MOVE(
                open ->
                        Files.move(
                                open.file(),
                                open.file().resolveSibling("new"),
                                StandardCopyOption.ATOMIC_MOVE)),
        COPY(open -> Files.copy(open.file(), open.file().resolveSibling("new"))),
        DELETE(open -> Files.delete(open.file())),
        TIMES(open -> Files.setLastModifiedTime(open.file(), FileTime.fromMillis(0))),
        ACL(open -> Files.getFileAttributeView(open.file(), AclFileAttributeView.class).getAcl()),
        XATTRS(
                open ->
                        Files.getFileAttributeView(open.file(), UserDefinedFileAttributeView.class)
                                .list()),
        READ_ALL(open -> Files.readAllBytes(open.file())),
        WRITE_ALL(open -> Files.write(open.file().resolveSibling("new"), new byte[5])),
        READ(open -> open.channel().read(ByteBuffer.allocate(5), 0)),
        WRITE(open -> open.channel().write(ByteBuffer.allocate(5), 0)),
        SIZE(open -> open.channel().size()),
        TRUNCATE(open -> open.channel().truncate(1)),
        LOCK(open -> open.channel().lock()),
        TRY_LOCK(open -> open.channel().tryLock()),
        TRANSFER(
                open -> {
                    try (var target =
                            FileChannel.open(
                                    Files.createTempFile("dead", ""),
                                    StandardOpenOption.WRITE,
                                    StandardOpenOption.DELETE_ON_CLOSE)) {
                        open.channel().transferTo(0, 5, target);
                    }
                }),
        READ_LATER(open -> open.later().read(ByteBuffer.allocate(5), 0).get()),
        LOCK_LATER(open -> open.later().lock().get());

        private final Use use;

        Operation(Use use) {
            this.use = use;
        }
    }

    private static Throwable ended(Operation operation, Open open) {
        var failure = assertThrows(Exception.class, () -> operation.use.of(open));
        return failure instanceof ExecutionException ? failure.getCause() : failure;
    }

    /**
     * Opens a file system whose calls have a short timeout.
     *
     * @param retry how long each call is repeated
     */
    private FileSystem opened(Duration retry) throws Exception {
        files.close();
        Files.writeString(local, "bytes");
        var client = ClientOptions.DEFAULT.withTimeout(TIMEOUT).withRetry(retry);
        return served.open(NfsOptions.DEFAULT.withClient(client));
    }

    private String address() {
        return "127.0.0.1:" + served.uri().getPort();
    }

    private static Open open(Path path) throws IOException {
        return new Open(
                path,
                FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE),
                AsynchronousFileChannel.open(
                        path, StandardOpenOption.READ, StandardOpenOption.WRITE));
    }

    private void requireEnd(Operation operation, Open open) {
        var failure = ended(operation, open);
        var told = operation + ": " + failure;
        assertInstanceOf(IOException.class, failure, told);
        assertTrue(failure.getMessage().contains(address()), told);
        assertEquals(1, failure.getMessage().lines().count(), told);
    }

    @Test
    void eachOperationEndsByTheTimeoutAndTheFilesAreThereAfterwards() throws Exception {
        try (var dead = opened(Duration.ZERO)) {
            Files.writeString(directory.resolve("others"), "they are back");
            for (var operation : Operation.values()) {
                // What the server does late is done to a file of its own.
                var own = Files.createDirectory(directory.resolve(operation.name()));
                Files.writeString(own.resolve("file"), "bytes");
                var open = open(dead.getPath("/data", operation.name(), "file"));
                served.hang();
                requireEnd(operation, open);
                served.goOn();
                assertEquals(
                        "they are back",
                        Files.readString(dead.getPath("/data/others")),
                        operation::name);
            }
        }
    }

    @Test
    void eachOperationEndsWhenTheServerIsStopped() throws Exception {
        var dead = opened(Duration.ZERO);
        var open = open(dead.getPath("/data/file"));
        served.stop();
        for (var operation : Operation.values()) {
            requireEnd(operation, open);
        }
        dead.close();
        served.start();
    }

    /** A program that wants to wait for its server gives the time in its options. */
    @Test
    void anOperationWaitsForTheServerToComeBack() throws Exception {
        try (var dead = opened(Duration.ofSeconds(30));
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var path = dead.getPath("/data/file");
            var open = open(path);
            served.stop();
            var reading = threads.submit(() -> Files.readString(path));
            var writing = threads.submit(() -> open.channel().write(text("other"), 0));
            served.start();
            assertEquals(5, writing.get());
            assertTrue(List.of("bytes", "other").contains(reading.get()), "other bytes");
        }
    }

    /** What was written may be lost, and the program is told. */
    @Test
    void aFileSystemIsClosedWithoutItsServer() throws Exception {
        var dead = opened(Duration.ZERO);
        var open = open(dead.getPath("/data/file"));
        open.channel().write(text("other"), 0);
        served.hang();
        assertThrows(IOException.class, dead::close);
        assertFalse(dead.isOpen());
        assertFalse(open.channel().isOpen());
        dead.close();
    }
}
