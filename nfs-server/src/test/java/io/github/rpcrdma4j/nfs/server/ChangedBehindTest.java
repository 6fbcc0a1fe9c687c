package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results.Stability;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: the server's caches hide no change that other processes make to its files. Method: change
 * the files directly.
 */
@ParameterizedClass
@MethodSource("io.github.rpcrdma4j.nfs.server.Ground#kinds")
class ChangedBehindTest {
    @Parameter Ground.Kind kind;
    private Ground ground;
    private Served served;
    private FileHandle root;
    private FileHandle file;
    private Path path;

    /** Reads and writes the file once, so that the server keeps it open for both. */
    @BeforeEach
    void serve() throws Exception {
        ground = Ground.of(kind);
        served = Served.of(ground);
        root = served.root();
        file = served.create(root, "file");
        path = ground.root().resolve("file");
        served.write(file, 0, "hello");
        assertEquals("hello", served.read(file, 0, 9));
    }

    @AfterEach
    void stop() throws Exception {
        served.close();
        ground.close();
    }

    private FileHandle found() throws Exception {
        return served.lookup(root, "file");
    }

    @Test
    void showsWhatIsWritten() throws Exception {
        Files.writeString(path, "J", StandardOpenOption.WRITE);
        assertEquals("Jello", served.read(file, 0, 9));
        Files.writeString(path, ", world", StandardOpenOption.APPEND);
        assertEquals("Jello, world", served.read(file, 0, 99));
        assertEquals(12, served.attributes(file).size());
    }

    @Test
    void readsNoMoreThanIsLeft() throws Exception {
        Files.writeString(path, "he", StandardOpenOption.TRUNCATE_EXISTING);
        var read = served.ok(new Nfs3Call.Read(file, 0, 9));
        assertEquals("he", Served.text(read));
        assertTrue(read.endOfFile());
        Files.writeString(path, "", StandardOpenOption.TRUNCATE_EXISTING);
        assertEquals("", served.read(file, 0, 9));
        served.write(file, 1, "x");
        assertEquals("\0x", served.read(file, 0, 9));
    }

    @Test
    void losesWhatIsRemoved() throws Exception {
        Files.delete(path);
        isStale();
        assertEquals(Status.NOENT, served.status(new Nfs3Call.Lookup(new DirOpArgs(root, "file"))));
        Files.writeString(path, "another");
        assertNotEquals(file, found());
        assertEquals("another", served.read(found(), 0, 9));
        isStale();
    }

    @Test
    void losesWhatIsReplaced() throws Exception {
        var next = Files.writeString(ground.root().resolve("next"), "another");
        Files.move(next, path, StandardCopyOption.REPLACE_EXISTING);
        isStale();
        assertEquals("another", served.read(found(), 0, 9));
        served.write(found(), 0, "A");
        assertEquals("Another", Files.readString(path));
    }

    private void isStale() throws Exception {
        assertEquals(Status.STALE, served.status(new Nfs3Call.Read(file, 0, 1)));
        assertEquals(Status.STALE, served.status(Served.write(file, 0, Stability.UNSTABLE, "x")));
        assertEquals(Status.STALE, served.status(new Nfs3Call.Commit(file, 0, 0)));
        assertEquals(Status.STALE, served.status(new Nfs3Call.GetAttributes(file)));
    }

    /**
     * Goal: no READ fails or returns bytes that were never written. Method: truncate and rewrite
     * the file during READs.
     */
    @Test
    void readsAFileThatIsCutAgainAndAgain() throws Exception {
        int bytes = 200_000;
        byte[] ones = new byte[bytes];
        Arrays.fill(ones, (byte) 1);
        cutAndFill(ones);
        var done = new AtomicBoolean();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var cutter =
                    threads.submit(
                            () -> {
                                while (!done.get()) {
                                    cutAndFill(ones);
                                }
                                return null;
                            });
            try {
                for (int i = 0; i < 300; i++) {
                    readOnce(bytes);
                }
            } finally {
                done.set(true);
            }
            cutter.get();
        }
    }

    private void cutAndFill(byte[] bytes) throws Exception {
        try (var channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(bytes), 0);
        }
    }

    private void readOnce(int bytes) throws Exception {
        switch (served.call(new Nfs3Call.Read(file, 0, bytes))) {
            case Nfs3Reply.Failed<?, ?>(var status, _) -> throw new AssertionError(status);
            case Nfs3Reply.Ok<?, ?>(_, var read) -> {
                var text = Served.text((Nfs3Results.ReadData) read);
                assertTrue(text.length() <= bytes);
                assertEquals(0, text.replace("\1", "").length(), "bytes that nobody wrote");
            }
        }
    }
}
