package io.github.rpcrdma4j.nfs.nio;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.DELETE_ON_CLOSE;
import static java.nio.file.StandardOpenOption.DSYNC;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.SPARSE;
import static java.nio.file.StandardOpenOption.SYNC;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.NfsUrl.Transport;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/**
 * Goal: a channel to a file of a server does what {@link FileChannel} says. Method: with the
 * project's server; another client changes the file, and the server restarts.
 */
abstract class ChannelContract extends ChannelLocksContract {
    private static final int LONG = (2 << 20) + 17;
    private static final int PAGE = 4096;

    ChannelContract(Transport transport) {
        super(transport);
    }

    @Test
    void optionsSayWhatIsOpened() throws Exception {
        assertThrows(NoSuchFileException.class, () -> FileChannel.open(file, READ));
        assertThrows(NoSuchFileException.class, () -> FileChannel.open(file, WRITE));
        FileChannel.open(file, WRITE, CREATE_NEW).close();
        assertThrows(
                FileAlreadyExistsException.class, () -> FileChannel.open(file, WRITE, CREATE_NEW));
        Files.writeString(local, "0123456789");
        FileChannel.open(file, WRITE, CREATE).close();
        assertEquals(10, Files.size(local));
        // Without WRITE these options mean nothing.
        FileChannel.open(file, READ, TRUNCATE_EXISTING, CREATE_NEW).close();
        assertEquals(10, Files.size(local));
        FileChannel.open(file, WRITE, TRUNCATE_EXISTING, SPARSE).close();
        assertEquals(0, Files.size(local));
        assertThrows(IllegalArgumentException.class, () -> FileChannel.open(file, READ, APPEND));
        assertThrows(
                IllegalArgumentException.class,
                () -> FileChannel.open(file, APPEND, TRUNCATE_EXISTING));
        OpenOption unknown = new OpenOption() {};
        assertThrows(
                UnsupportedOperationException.class, () -> FileChannel.open(file, READ, unknown));
        FileChannel.open(file, WRITE, DELETE_ON_CLOSE).close();
        assertFalse(Files.exists(local));
    }

    @Test
    void linksAreFollowedUnlessAnOptionForbidsIt() throws Exception {
        Files.createSymbolicLink(directory.resolve("link"), Path.of("file"));
        var link = files.getPath("/data/link");
        assertThrows(
                FileAlreadyExistsException.class, () -> FileChannel.open(link, WRITE, CREATE_NEW));
        assertThrows(
                FileSystemException.class,
                () -> FileChannel.open(link, WRITE, CREATE, LinkOption.NOFOLLOW_LINKS));
        try (var channel = FileChannel.open(link, WRITE, CREATE)) {
            channel.write(text("x"));
        }
        assertEquals("x", Files.readString(local));
    }

    @Test
    void aNewFileIsWrittenWhateverItsModeAllows() throws Exception {
        var none =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("---------"));
        try (var channel = FileChannel.open(file, Set.of(WRITE, CREATE_NEW), none)) {
            channel.write(text("written"));
            channel.truncate(4);
        }
        assertEquals(4, Files.size(local));
        assertEquals(Set.of(), Files.getPosixFilePermissions(local));
    }

    @Test
    void theFileKeepsWhatIsOpenAlsoWithoutItsName() throws Exception {
        try (var channel = FileChannel.open(file, READ, WRITE, CREATE)) {
            channel.write(text("kept"));
            Files.move(file, files.getPath("/data/moved"));
            assertEquals("kept", read(channel, 0, 9));
        }
    }

    @Test
    void positionsMove() throws Exception {
        try (var channel = FileChannel.open(file, READ, WRITE, CREATE)) {
            assertEquals(10, channel.write(text("0123456789")));
            assertEquals(10, channel.position());
            assertEquals(-1, channel.read(ByteBuffer.allocate(1)));
            assertEquals(0, channel.read(ByteBuffer.allocate(0)));
            channel.position(2);
            assertEquals("234", read(channel, 2, 3));
            assertEquals(2, channel.position());
            var parts = new ByteBuffer[] {ByteBuffer.allocate(2), ByteBuffer.allocateDirect(30)};
            assertEquals(8, channel.read(parts));
            assertEquals("23", new String(parts[0].array()));
            assertEquals(6, parts[1].position());
            channel.position(12);
            assertEquals(4, channel.write(new ByteBuffer[] {text("ab"), text(""), text("cd")}));
            assertEquals(16, channel.size());
            channel.truncate(13);
            assertEquals(13, channel.size());
            assertEquals(13, channel.position());
            channel.truncate(99);
            assertEquals(13, channel.size());
            assertThrows(IllegalArgumentException.class, () -> channel.position(-1));
            assertThrows(IllegalArgumentException.class, () -> channel.truncate(-1));
            assertThrows(
                    IllegalArgumentException.class, () -> channel.read(ByteBuffer.allocate(1), -1));
        }
        assertArrayEquals(
                new byte[] {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 0, 0, 'a'},
                Files.readAllBytes(local));
    }

    @Test
    void rightsOfAChannelAreThoseItWasOpenedFor() throws Exception {
        Files.writeString(local, "x");
        try (var reads = FileChannel.open(file, READ);
                var writes = FileChannel.open(file, WRITE)) {
            assertThrows(NonWritableChannelException.class, () -> reads.write(text("y")));
            assertThrows(NonWritableChannelException.class, () -> reads.truncate(0));
            assertThrows(NonWritableChannelException.class, reads::lock);
            assertThrows(
                    NonReadableChannelException.class, () -> writes.read(ByteBuffer.allocate(1)));
            assertThrows(
                    NonReadableChannelException.class, () -> writes.lock(0, Long.MAX_VALUE, true));
            assertThrows(
                    UnsupportedOperationException.class, () -> reads.map(MapMode.READ_ONLY, 0, 1));
        }
        var closed = FileChannel.open(file, READ);
        closed.close();
        assertThrows(ClosedChannelException.class, () -> closed.read(ByteBuffer.allocate(1)));
    }

    @Test
    void manyThreadsReadAndWriteAtPlacesOfTheirOwn() throws Exception {
        int threads = 8;
        int pages = 32;
        try (var channel = FileChannel.open(file, READ, WRITE, CREATE);
                var pool = Executors.newFixedThreadPool(threads)) {
            var tasks = new ArrayList<Callable<Void>>();
            for (int i = 0; i < threads; i++) {
                int mine = i;
                tasks.add(
                        () -> {
                            for (int page = mine; page < threads * pages; page += threads) {
                                var bytes = ByteBuffer.allocateDirect(PAGE);
                                while (bytes.hasRemaining()) {
                                    bytes.put((byte) page);
                                }
                                channel.write(bytes.flip(), (long) page * PAGE);
                                var back = ByteBuffer.allocate(PAGE);
                                assertEquals(PAGE, channel.read(back, (long) page * PAGE));
                                assertEquals(bytes.flip(), back.flip());
                            }
                            return null;
                        });
            }
            for (var done : pool.invokeAll(tasks)) {
                done.get();
            }
            channel.force(false);
            assertEquals(0, channel.position());
        }
        var written = Files.readAllBytes(local);
        assertEquals(threads * pages * PAGE, written.length);
        for (int i = 0; i < written.length; i++) {
            assertEquals((byte) (i / PAGE), written[i]);
        }
    }

    @Test
    void bytesAreTransferred() throws Exception {
        Files.write(local, bytes(LONG));
        var other = files.getPath("/data/other");
        try (var from = FileChannel.open(file, READ);
                var to = FileChannel.open(other, WRITE, CREATE)) {
            assertEquals(LONG, from.transferTo(0, Long.MAX_VALUE, to));
            assertEquals(0, from.transferTo(LONG, 10, to));
            assertEquals(7, to.transferFrom(from, 5, 7));
            assertEquals(7, from.position());
            assertEquals(0, to.transferFrom(from, LONG + 1, 7));
            assertThrows(NonWritableChannelException.class, () -> from.transferFrom(to, 0, 1));
        }
        var expected = bytes(LONG);
        System.arraycopy(bytes(LONG), 0, expected, 5, 7);
        assertArrayEquals(expected, Files.readAllBytes(directory.resolve("other")));
    }

    @Test
    void twoClientsAppendAndLoseNothing() throws Exception {
        int lines = 100;
        try (var second = FileChannel.open(file, EnumSet.of(APPEND, CREATE));
                var mount = otherMount();
                var arena = Arena.ofShared()) {
            var service = mount.service();
            var found = mount.resolve("/data/file");
            try (var open = service.open(found.handle(), OpenFile.Mode.WRITE, "cannot write")) {
                var line = arena.allocateFrom("another\n").asSlice(0, 8);
                for (int i = 0; i < lines; i++) {
                    second.write(text("a line.\n"));
                    long size = service.attributes(found.handle(), "cannot stat").size();
                    service.writeAtEnd(open, size, Stability.FILE_SYNC, line, "no");
                }
            }
            assertEquals(2L * lines * 8, second.position() + 8);
        }
        assertEquals("a line.\nanother\n".repeat(lines), Files.readString(local));
    }

    @Test
    void channelsOfAProgramAppendInTurn() throws Exception {
        int threads = 4;
        int lines = 50;
        try (var pool = Executors.newFixedThreadPool(threads)) {
            for (int i = 0; i < threads; i++) {
                pool.submit(
                        () -> {
                            try (var channel = FileChannel.open(file, APPEND, CREATE)) {
                                for (int line = 0; line < lines; line++) {
                                    channel.write(text("a line.\n"));
                                }
                            }
                            return null;
                        });
            }
        }
        assertEquals("a line.\n".repeat(threads * lines), Files.readString(local));
    }

    @Test
    void writtenBytesAreSeenAtOnceAndForced() throws Exception {
        for (var option : new OpenOption[] {SYNC, DSYNC, SPARSE}) {
            try (var channel = FileChannel.open(file, WRITE, CREATE, option);
                    var reads = FileChannel.open(file, READ)) {
                channel.write(text("seen"));
                assertEquals("seen", read(reads, 0, 9));
                channel.force(true);
                reads.force(true);
            }
        }
    }

    /** Goal: what a server has lost by its restart is written again. */
    @Test
    void bytesThatTheServerLosesAreWrittenAgain() throws Exception {
        try (var channel = FileChannel.open(file, WRITE, CREATE)) {
            channel.write(ByteBuffer.wrap(bytes(LONG)));
            channel.write(text("later"), 3);
            served.restart();
            // What was in its memory alone.
            Files.write(local, new byte[0]);
            channel.force(false);
        }
        var expected = bytes(LONG);
        System.arraycopy("later".getBytes(), 0, expected, 3, 5);
        assertArrayEquals(expected, Files.readAllBytes(local));
    }

    @Test
    void aDirectoryIsOpenedToForceItAlone() throws Exception {
        try (var channel = FileChannel.open(files.getPath("/data"), READ)) {
            channel.force(true);
            assertThrows(IOException.class, () -> channel.read(ByteBuffer.allocate(1)));
        }
        assertThrows(
                FileSystemException.class, () -> FileChannel.open(files.getPath("/data"), WRITE));
    }
}
