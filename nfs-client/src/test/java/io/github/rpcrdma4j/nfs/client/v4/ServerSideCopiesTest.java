package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a server copies ranges and finds holes. Method: by version 4.2 over RDMA. */
@Timeout(120)
class ServerSideCopiesTest {
    private static final int LENGTH = 300_000;
    private static final int DATA = 1 << 20;
    private static final int END = 4 << 20;

    @TempDir private Path directory;
    private WatchedServer server;
    private Nfs4Service service;
    private FileHandle root;
    private final byte[] bytes = new byte[LENGTH];

    @BeforeEach
    void connect() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        server = new WatchedServer(directory, Optional.empty());
        service = server.connect();
        root = service.mount(PathName.of("/data"));
        new Random(LENGTH).nextBytes(bytes);
        Files.write(directory.resolve("source"), bytes);
        Files.createFile(directory.resolve("target"));
        Files.setPosixFilePermissions(
                directory.resolve("target"), PosixFilePermissions.fromString("rw-rw-rw-"));
    }

    @AfterEach
    void stop() throws Exception {
        service.close();
        server.close();
    }

    private OpenFile open(String name, OpenFile.Mode mode) throws Exception {
        var place = new RemotePlace(root, name);
        return service.open(service.lookup(place, "no").handle(), mode, "no");
    }

    @Test
    void aRangeIsCopiedToTheSamePlace() throws Exception {
        try (var source = open("source", OpenFile.Mode.READ);
                var target = open("target", OpenFile.Mode.WRITE)) {
            var copied = service.copy(source, target, 1000, 200_000, "no", _ -> {}).orElseThrow();
            assertEquals(200_000, copied.count());
            copied = service.copy(source, target, LENGTH - 10, 100, "no", _ -> {}).orElseThrow();
            assertEquals(10, copied.count(), "up to the end of the source");
            assertEquals(
                    0,
                    service.copy(source, target, LENGTH, 100, "no", _ -> {}).orElseThrow().count());
        }
        var there = Files.readAllBytes(directory.resolve("target"));
        assertEquals(LENGTH, there.length);
        assertArrayEquals(
                Arrays.copyOfRange(bytes, 1000, 201_000), Arrays.copyOfRange(there, 1000, 201_000));
        assertEquals(0, there[999]);
        assertEquals(0, there[201_000]);
    }

    /** Whether the file system of this machine shares storage does not matter. */
    @Test
    void aFileSharesItsStorageOrStaysAsItIs() throws Exception {
        boolean isShared;
        try (var source = open("source", OpenFile.Mode.READ);
                var target = open("target", OpenFile.Mode.WRITE)) {
            isShared = service.share(source, target, "no");
        }
        assertArrayEquals(
                isShared ? bytes : new byte[0], Files.readAllBytes(directory.resolve("target")));
    }

    @Test
    void dataAndHolesAreFound() throws Exception {
        try (var file = FileChannel.open(directory.resolve("target"), StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.wrap(bytes), DATA);
            file.write(ByteBuffer.wrap(bytes), END);
            file.truncate(END);
        }
        try (var file = open("target", OpenFile.Mode.READ)) {
            assertEquals(DATA, service.seek(file, 0, true, "no").orElseThrow());
            long hole = service.seek(file, DATA, false, "no").orElseThrow();
            assertEquals(DATA + LENGTH, hole, 1 << 16);
            assertEquals(Long.MAX_VALUE, service.seek(file, hole, true, "no").orElseThrow());
        }
    }

    @Test
    void aRefusalThatEachWayWouldMeetIsTold() throws Exception {
        try (var source = open("source", OpenFile.Mode.READ);
                var target = open("target", OpenFile.Mode.READ)) {
            assertThrows(
                    NfsException.class,
                    () -> service.copy(source, target, 0, LENGTH, "no copy", _ -> {}));
        }
    }
}
