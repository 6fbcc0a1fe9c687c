package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Goal: what a server has acknowledged is true, in file systems that are archives, too. */
@Timeout(60)
class ServedArchivesTest {
    private static final byte[] CONTENT = "zip".getBytes(StandardCharsets.UTF_8);

    /** An open for writing asks for rights, and there are none. */
    private static final Set<String> REASONS = Set.of("read-only file system", "permission denied");

    @TempDir private Path directory;

    /** Goal: no change is acknowledged that nobody could read, or that fails in the middle. */
    @Test
    void aZipFileIsReadAndNotChanged() throws Exception {
        var file = directory.resolve("some.zip");
        try (var zip = FileSystems.newFileSystem(file, Map.of("create", "true"))) {
            Files.write(zip.getPath("/hello"), CONTENT);
            Files.createDirectory(zip.getPath("/dir"));
            try (var nfs =
                            new NfsServer(
                                    List.of(new Export("/data", zip.getPath("/"), false)),
                                    new byte[16]);
                    var server =
                            RpcRdmaServer.builder()
                                    .address(
                                            new InetSocketAddress(
                                                    InetAddress.getLoopbackAddress(), 0))
                                    .programs(nfs.programs())
                                    .start();
                    var files =
                            NfsFiles.connect(
                                    "rdma://127.0.0.1:" + server.address().getPort() + "/data")) {
                checkThatNothingChanges(files);
            }
            assertArrayEquals(CONTENT, Files.readAllBytes(zip.getPath("/hello")));
        }
    }

    private static void checkThatNothingChanges(NfsFiles files) throws Exception {
        var changes =
                List.<Executable>of(
                        () -> write(files, "/data/hello"),
                        () -> files.newOutputStream("/data/hello").close(),
                        () -> files.newOutputStream("/data/new").close(),
                        () -> files.createDirectory("/data/new"),
                        () -> files.rename("/data/hello", "/data/dir/moved"),
                        () -> files.delete("/data/hello"));
        for (var change : changes) {
            var refused = assertThrows(FileSystemException.class, change);
            assertTrue(REASONS.contains(refused.getReason()), refused.getMessage());
        }
        try (var in = files.newInputStream("/data/hello")) {
            assertArrayEquals(CONTENT, in.readAllBytes());
        }
        try (var list = files.walk("/data")) {
            assertEquals(3, list.count());
        }
    }

    private static void write(NfsFiles files, String path) throws Exception {
        try (var channel = files.newByteChannel(path, StandardOpenOption.WRITE)) {
            channel.position(1).write(ByteBuffer.wrap(new byte[] {'Z'}));
        }
    }

    @Test
    void aFileSystemWithoutChannelsIsRefused() {
        var modules = Path.of(URI.create("jrt:/java.base"));
        var refused =
                assertThrows(
                        IOException.class,
                        () ->
                                new NfsServer(
                                        List.of(new Export("/data", modules, true)), new byte[16]));
        assertEquals(
                "cannot serve jrt:/java.base: its file system has no file channels",
                refused.getMessage());
    }
}
