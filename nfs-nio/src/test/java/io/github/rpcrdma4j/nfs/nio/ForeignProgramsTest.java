package io.github.rpcrdma4j.nfs.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.client.NfsUrl.Transport;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Scanner;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: classes of the JDK that take paths and channels work with files of a server. */
@Timeout(120)
class ForeignProgramsTest {
    @TempDir private Path directory;
    private ServedDirectory served;
    private FileSystem files;
    private Path data;

    @BeforeEach
    void connect() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        served = new ServedDirectory(directory, Transport.RDMA);
        files = served.open();
        data = files.getPath("/data");
    }

    @AfterEach
    void close() throws Exception {
        files.close();
        served.close();
    }

    @Test
    void zipFilesAreFileSystemsOnAServer() throws Exception {
        var archive = data.resolve("archive.zip");
        try (var zip = FileSystems.newFileSystem(archive, Map.of("create", "true"))) {
            Files.createDirectory(zip.getPath("a"));
            Files.writeString(zip.getPath("a/file"), "packed");
        }
        try (var zip = FileSystems.newFileSystem(archive)) {
            assertEquals("packed", Files.readString(zip.getPath("/a/file")));
            Files.writeString(zip.getPath("second"), "x".repeat(100_000));
        }
        try (var zip = FileSystems.newFileSystem(directory.resolve("archive.zip"))) {
            assertEquals(100_000, Files.size(zip.getPath("second")));
        }
    }

    @Test
    void streamsOfAllKindsReadAndWrite() throws Exception {
        var text = data.resolve("text.gz");
        try (var out = Files.newBufferedWriter(data.resolve("lines"), StandardCharsets.UTF_8)) {
            for (int i = 0; i < 1_000; i++) {
                out.write("line " + i + "\n");
            }
        }
        try (var lines = Files.lines(data.resolve("lines"))) {
            assertEquals(1_000, lines.count());
        }
        try (var out = new GZIPOutputStream(Files.newOutputStream(text));
                var in = Files.newInputStream(data.resolve("lines"))) {
            in.transferTo(out);
        }
        try (var in = new Scanner(new GZIPInputStream(Files.newInputStream(text)))) {
            assertEquals("line 0", in.nextLine());
        }
        var object = data.resolve("object");
        try (var out =
                new ObjectOutputStream(
                        Channels.newOutputStream(
                                Files.newByteChannel(
                                        object,
                                        StandardOpenOption.CREATE,
                                        StandardOpenOption.WRITE)))) {
            out.writeObject(IntStream.range(0, 100).boxed().toList());
        }
        try (var in = new ObjectInputStream(Files.newInputStream(object))) {
            assertEquals(IntStream.range(0, 100).boxed().toList(), in.readObject());
        }
        var properties = new Properties();
        properties.setProperty("key", "value");
        try (var out = Files.newOutputStream(data.resolve("properties"))) {
            properties.store(out, "");
        }
        assertTrue(Files.readString(directory.resolve("properties")).contains("key=value"));
        assertEquals(-1, Files.mismatch(data.resolve("lines"), directory.resolve("lines")));
    }

    @Test
    void theCompilerReadsAndWritesThere() throws Exception {
        var source = Files.writeString(data.resolve("Hello.java"), "class Hello {}");
        var compiler = ToolProvider.getSystemJavaCompiler();
        try (var manager = compiler.getStandardFileManager(null, null, null)) {
            manager.setLocationFromPaths(StandardLocation.CLASS_OUTPUT, List.of(data));
            var units = manager.getJavaFileObjects(source);
            assertTrue(compiler.getTask(null, manager, null, null, null, units).call());
        }
        var compiled = Files.readAllBytes(directory.resolve("Hello.class"));
        assertEquals(0xcafebabe, ByteBuffer.wrap(compiled).getInt());
    }
}
