package io.github.rpcrdma4j.nfs.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.client.NfsUrl.Transport;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.FileSystemAlreadyExistsException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a program reaches servers by URIs, and never connects without saying so. */
@Timeout(60)
class FileSystemsByUriTest {
    @TempDir private Path directory;

    @BeforeEach
    void letAllMakeFiles() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
    }

    @Test
    void onlyNewFileSystemConnects() throws Exception {
        try (var served = new ServedDirectory(directory, Transport.RDMA)) {
            var uri = served.uri();
            assertThrows(FileSystemNotFoundException.class, () -> Path.of(uri));
            assertThrows(FileSystemNotFoundException.class, () -> FileSystems.getFileSystem(uri));
            assertEquals(0, served.calls());
            try (var files = served.open()) {
                assertSame(files, FileSystems.getFileSystem(uri));
                assertEquals(files.getPath("/data"), Path.of(uri));
                assertThrows(FileSystemAlreadyExistsException.class, served::open);
                assertTrue(files.toString().startsWith("nfs+rdma://127.0.0.1:"));
            }
            assertThrows(FileSystemNotFoundException.class, () -> Path.of(uri));
            served.open().close();
        }
    }

    @Test
    void eachServerHasItsFiles(@TempDir Path second) throws Exception {
        Files.setPosixFilePermissions(second, PosixFilePermissions.fromString("rwxrwxrwx"));
        try (var one = new ServedDirectory(directory, Transport.TCP);
                var other = new ServedDirectory(second, Transport.RDMA);
                var files = one.open();
                var others = other.open()) {
            var file = files.getPath("/data/file");
            assertNotEquals(file, others.getPath("/data/file"));
            assertNotEquals(file, Path.of("/data/file"));
            assertThrows(
                    ProviderMismatchException.class,
                    () -> file.resolve(Path.of("x").toAbsolutePath()));
            Files.writeString(file, "x");
            assertFalse(Files.isSameFile(file, others.getPath("/data/file")));
            Files.copy(file, others.getPath("copied"));
            assertEquals("x", Files.readString(second.resolve("copied")));
        }
    }

    @Test
    void serversOfOneTransportCopyToEachOther(@TempDir Path second) throws Exception {
        Files.setPosixFilePermissions(second, PosixFilePermissions.fromString("rwxrwxrwx"));
        try (var one = new ServedDirectory(directory, Transport.RDMA);
                var other = new ServedDirectory(second, Transport.RDMA);
                var files = one.open();
                var others = other.open()) {
            Files.writeString(directory.resolve("file"), "x");
            var file = files.getPath("file");
            Files.copy(file, others.getPath("copied"), StandardCopyOption.COPY_ATTRIBUTES);
            assertEquals("x", Files.readString(second.resolve("copied")));
            assertEquals(
                    Files.getLastModifiedTime(directory.resolve("file")),
                    Files.getLastModifiedTime(second.resolve("copied")));
            Files.move(file, others.getPath("moved"));
            assertFalse(Files.exists(directory.resolve("file")));
            assertThrows(IOException.class, () -> Files.createLink(file, others.getPath("moved")));
        }
    }

    @Test
    void eachVersionHasFiles() throws Exception {
        try (var served = new ServedDirectory(directory, Transport.RDMA)) {
            for (var version :
                    List.of(NfsVersion.VERSION_3, NfsVersion.VERSION_4_1, NfsVersion.VERSION_4_2)) {
                try (var files =
                        FileSystems.newFileSystem(
                                served.uri(), Map.of("vers", version.words(), "umask", "077"))) {
                    var file = files.getPath("/data/file-" + version.words());
                    Files.writeString(file, "written");
                    assertEquals("written", Files.readString(file));
                    assertEquals("nfs" + version.words(), Files.getFileStore(file).type());
                    assertEquals(
                            PosixFilePermissions.fromString("rw-------"),
                            Files.getPosixFilePermissions(file));
                    Files.copy(file, files.getPath("/data/copy-" + version.words()));
                }
            }
        }
        try (var all = Files.list(directory)) {
            assertEquals(6, all.count());
        }
    }

    @Test
    void aServerThatIsNotThereIsAFailure() throws Exception {
        int port;
        try (var free = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        for (var scheme : List.of("nfs", "nfs+rdma")) {
            var uri = URI.create(scheme + "://127.0.0.1:" + port + "/data");
            assertThrows(IOException.class, () -> FileSystems.newFileSystem(uri, Map.of()));
            assertThrows(FileSystemNotFoundException.class, () -> Path.of(uri));
        }
    }

    @Test
    void optionsAreTypedOrTexts() {
        var client = ClientOptions.DEFAULT.withTimeout(Duration.ofSeconds(3));
        var options = NfsOptions.DEFAULT.withClient(client).withUmask(027);
        assertEquals(options, NfsOptions.of(options.environment()));
        assertEquals(
                options.withListed(Duration.ZERO),
                NfsOptions.of(Map.of("timeout", "PT3S", "umask", "027", "listed", Duration.ZERO)));
        assertEquals(Duration.ofSeconds(10), NfsOptions.of(Map.of("watch", "PT10S")).watch());
        assertEquals(
                List.of(NfsVersion.VERSION_4_1, NfsVersion.VERSION_3),
                NfsOptions.of(Map.of("vers", "4.1,3")).client().versions());
        for (var entry :
                Map.<String, Object>of(
                                "no",
                                1,
                                "vers",
                                "5",
                                "timeout",
                                3,
                                "umask",
                                "9",
                                "listed",
                                "-PT1S",
                                "options",
                                "x",
                                "watch",
                                Duration.ZERO)
                        .entrySet()) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> NfsOptions.of(Map.of(entry.getKey(), entry.getValue())),
                    entry.toString());
        }
    }
}
