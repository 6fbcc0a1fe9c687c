package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.LoopbackClient;
import io.github.rpcrdma4j.nfs.client.LoopbackClient.Faults;
import io.github.rpcrdma4j.nfs.client.NfsClient;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: a copy goes on where an earlier one was cut, and never with wrong data. Method: cut copies
 * of both directions, and change what they left in between.
 */
@Timeout(120)
class ResumeTest {
    private static final ClientOptions OVER_VERSION_3 =
            ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3);

    private static final int SIZE = (int) (2 * Checkpoint.INTERVAL + (16 << 20));
    private static final long CUT_AT = 2 * Checkpoint.INTERVAL + (4 << 20);
    private static final long REACHED = 2 * Checkpoint.INTERVAL;

    /** The direction of a copy. */
    enum Direction {
        PUT,
        GET
    }

    @TempDir private Path directory;
    private Path from;
    private Path to;
    private Direction direction;
    private NfsServer server;
    private final SegmentPool pool = new SegmentPool(64 << 20);
    private int kept;
    private final AtomicLong copied = new AtomicLong();
    private final AtomicLong resumed = new AtomicLong();

    @BeforeEach
    void begin() throws IOException {
        from = Files.createDirectory(directory.resolve("from"));
        to = Files.createDirectory(directory.resolve("to"));
        var bytes = new byte[SIZE];
        new Random(SIZE).nextBytes(bytes);
        Files.write(from.resolve("file"), bytes);
    }

    @AfterEach
    void end() {
        server.close();
        assertEquals(0, pool.leased());
    }

    private void serve(Direction wanted) throws IOException {
        direction = wanted;
        var exported = direction == Direction.PUT ? to : from;
        var key = new byte[32];
        server = new NfsServer(List.of(new Export("/data", exported, false)), key);
    }

    /** Copies the file. */
    private void copy(CopyListener listener) throws IOException, InterruptedException {
        var dispatcher = new RpcDispatcher(server.programs());
        Connector connector = () -> new LoopbackClient(dispatcher, Faults.none(), pool);
        var options = OVER_VERSION_3;
        try (var mount = NfsMount.of(NfsClient.connect(connector, connector, options), "/data")) {
            var copier =
                    new Copier(mount, options, listener, PreservedAttributes.PERMISSIONS, true);
            try {
                if (direction == Direction.PUT) {
                    copier.sweep(mount.resolve("/data").handle());
                    copier.put(from.resolve("file"), mount.place("/data/file"), "file");
                } else {
                    sweep(copier);
                    copier.get(mount.resolve("/data/file"), "file", to.resolve("file"));
                }
            } finally {
                kept = copier.leftovers().resumable();
            }
        }
    }

    /** Removes what ended copies left in the target directory. */
    private void sweep(Copier copier) throws IOException {
        try (var place = LocalPlace.openDirectory(to, "cannot list " + to)) {
            copier.sweep(place);
        }
    }

    /** Cuts a copy after two checkpoints. */
    private void interrupt() throws Exception {
        var main = Thread.currentThread();
        var done = new AtomicLong();
        var cutting =
                new CopyListener() {
                    @Override
                    public void copied(long bytes) {
                        if (done.addAndGet(bytes) >= CUT_AT) {
                            main.interrupt();
                        }
                    }
                };
        assertThrows(InterruptedException.class, () -> copy(cutting));
        Thread.interrupted();
    }

    /** Cuts a copy after two checkpoints; returns what it left, as if its process had ended. */
    private Path cut() throws Exception {
        interrupt();
        assertEquals(1, kept);
        var left = to.resolve(names().getFirst());
        assertEquals(1, names().size());
        var checkpoint = TemporaryName.checkpoint(FileName.of(left.getFileName().toString()));
        assertEquals(REACHED, checkpoint.orElseThrow().done());
        return madeBy(left, RunningProcess.State.ENDED);
    }

    /** Renames an incomplete file as if a process in this state had made it. */
    private static Path madeBy(Path left, RunningProcess.State state) throws IOException {
        var now = RunningProcess.current();
        var maker =
                switch (state) {
                    case RUNNING -> now;
                    case ENDED ->
                            new RunningProcess(now.pidScope(), now.process(), now.start() + 1);
                    case UNKNOWN ->
                            new RunningProcess(now.pidScope() + 1, now.process(), now.start());
                };
        var checkpoint =
                TemporaryName.checkpoint(FileName.of(left.getFileName().toString())).orElseThrow();
        var name = TemporaryName.of(FileName.of("file"), maker, checkpoint);
        return Files.move(left, left.resolveSibling(name.escaped()));
    }

    private List<String> names() throws IOException {
        try (Stream<Path> all = Files.list(to)) {
            return all.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    private void copyAndCount() throws Exception {
        copy(
                new CopyListener() {
                    @Override
                    public void copied(long bytes) {
                        copied.addAndGet(bytes);
                    }

                    @Override
                    public void resumed(long bytes) {
                        resumed.addAndGet(bytes);
                    }
                });
        assertEquals(-1, Files.mismatch(from.resolve("file"), to.resolve("file")));
    }

    private static void write(Path file, long offset, byte... bytes) throws IOException {
        try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(bytes), offset);
        }
    }

    @ParameterizedTest
    @EnumSource
    void goesOnFromTheLastCheckpoint(Direction wanted) throws Exception {
        serve(wanted);
        var left = cut();
        // Behind the checkpoint anything may have arrived, even beyond the end of the source.
        write(left, REACHED + 5, (byte) 1, (byte) 2);
        write(left, SIZE + 1000, (byte) 3);
        copyAndCount();
        assertEquals(REACHED, resumed.get());
        assertEquals(SIZE - REACHED, copied.get());
        assertEquals(List.of("file"), names());
    }

    @ParameterizedTest
    @EnumSource
    void beginsAnewWhenTheSourceHasChanged(Direction wanted) throws Exception {
        serve(wanted);
        cut();
        // Size and modification time stay; only the time of the status change tells.
        var source = from.resolve("file");
        var time = Files.getLastModifiedTime(source);
        write(source, 17, (byte) 1, (byte) 2, (byte) 3);
        Files.setLastModifiedTime(source, time);
        copyAndCount();
        assertEquals(0, resumed.get());
    }

    @ParameterizedTest
    @EnumSource
    void usesNoFileThatOthersMayHaveWritten(Direction wanted) throws Exception {
        serve(wanted);
        var left = cut();
        write(left, 17, (byte) 1, (byte) 2, (byte) 3);
        Files.setPosixFilePermissions(left, PosixFilePermissions.fromString("rw-rw----"));
        copyAndCount();
        assertEquals(0, resumed.get());
    }

    @ParameterizedTest
    @EnumSource
    void usesNoFileWithAnotherName(Direction wanted) throws Exception {
        serve(wanted);
        var left = cut();
        Files.createLink(to.resolve("other"), left);
        copyAndCount();
        assertEquals(0, resumed.get());
    }

    @ParameterizedTest
    @EnumSource
    void usesNoFileOfAnotherUser(Direction wanted) throws Exception {
        serve(wanted);
        assumeTrue((int) Files.getAttribute(from, "unix:uid") == 0, "only root gives files away");
        Files.setAttribute(cut(), "unix:uid", 12345);
        copyAndCount();
        assertEquals(0, resumed.get());
    }

    /** Another user could have given a private file of this one the name of an incomplete copy. */
    @ParameterizedTest
    @EnumSource
    void usesNoFileWhereOthersMayRenameIt(Direction wanted) throws Exception {
        serve(wanted);
        var left = cut();
        Files.setPosixFilePermissions(to, PosixFilePermissions.fromString("rwxrwxrwx"));
        copyAndCount();
        assertEquals(0, resumed.get());
        assertTrue(Files.exists(left));
        Files.setAttribute(to, "unix:mode", 01777);
        copyAndCount();
        assertEquals(REACHED, resumed.get());
    }

    @ParameterizedTest
    @EnumSource
    void leavesNothingWhereOthersMayRenameIt(Direction wanted) throws Exception {
        serve(wanted);
        Files.setPosixFilePermissions(to, PosixFilePermissions.fromString("rwxrwxrwx"));
        interrupt();
        assertEquals(0, kept);
        assertEquals(List.of(), names());
    }

    @ParameterizedTest
    @EnumSource
    void usesNoLinkInPlaceOfTheFile(Direction wanted) throws Exception {
        serve(wanted);
        var left = cut();
        var outside = Files.move(left, directory.resolve("outside"));
        Files.createSymbolicLink(left, outside);
        copyAndCount();
        assertEquals(0, resumed.get());
        assertTrue(Files.size(outside) >= REACHED);
    }

    @ParameterizedTest
    @EnumSource
    void leavesACopyAloneThatMayStillRun(Direction wanted) throws Exception {
        serve(wanted);
        var left = madeBy(cut(), RunningProcess.State.RUNNING);
        copyAndCount();
        assertEquals(0, resumed.get());
        assertTrue(Files.exists(left));
        var unknown = madeBy(left, RunningProcess.State.UNKNOWN);
        copyAndCount();
        assertEquals(0, resumed.get());
        assertTrue(Files.exists(unknown));
    }

    @ParameterizedTest
    @EnumSource
    void failsWhenTheSourceChangesMeanwhile(Direction wanted) throws Exception {
        serve(wanted);
        cut();
        var changing =
                new CopyListener() {
                    @Override
                    public void resumed(long bytes) {
                        try {
                            write(from.resolve("file"), 17, (byte) 1);
                        } catch (IOException failure) {
                            throw new UncheckedIOException(failure);
                        }
                    }
                };
        var failure = assertThrows(IOException.class, () -> copy(changing));
        assertTrue(failure.getMessage().endsWith("it changed while it was copied"));
        // What was copied of the old state is of no use.
        assertEquals(List.of(), names());
    }

    @Test
    void aCopyThatDoesNotResumeRemovesWhatWasLeft() throws Exception {
        serve(Direction.GET);
        cut();
        var dispatcher = new RpcDispatcher(server.programs());
        Connector connector = () -> new LoopbackClient(dispatcher, Faults.none(), pool);
        var client = NfsClient.connect(connector, connector, OVER_VERSION_3);
        try (var mount = NfsMount.of(client, "/data")) {
            sweep(new Copier(mount, OVER_VERSION_3, CopyListener.NONE));
        }
        assertEquals(List.of(), names());
    }
}
