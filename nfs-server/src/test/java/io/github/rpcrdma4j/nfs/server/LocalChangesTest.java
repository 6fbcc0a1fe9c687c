package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results;
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
@MethodSource("io.github.rpcrdma4j.nfs.directories.TestDirectory#kinds")
class LocalChangesTest {
    @Parameter TestDirectory.Kind kind;
    private TestDirectory testDirectory;
    private TestServer server;
    private FileHandle root;
    private FileHandle file;
    private Path path;

    /** Reads and writes the file once, so that the server keeps it open for both. */
    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(kind);
        server = TestServer.of(testDirectory);
        root = server.root();
        file = server.create(root, "file");
        path = testDirectory.root().resolve("file");
        server.write(file, 0, "hello");
        assertEquals("hello", server.read(file, 0, 9));
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    private FileHandle found() throws Exception {
        return server.lookup(root, "file");
    }

    @Test
    void showsWhatIsWritten() throws Exception {
        Files.writeString(path, "J", StandardOpenOption.WRITE);
        assertEquals("Jello", server.read(file, 0, 9));
        Files.writeString(path, ", world", StandardOpenOption.APPEND);
        assertEquals("Jello, world", server.read(file, 0, 99));
        assertEquals(12, server.attributes(file).size());
    }

    @Test
    void readsNoMoreThanIsLeft() throws Exception {
        Files.writeString(path, "he", StandardOpenOption.TRUNCATE_EXISTING);
        var read = server.ok(new Nfs3Call.Read(file, 0, 9));
        assertEquals("he", TestServer.text(read));
        assertTrue(read.endOfFile());
        Files.writeString(path, "", StandardOpenOption.TRUNCATE_EXISTING);
        assertEquals("", server.read(file, 0, 9));
        server.write(file, 1, "x");
        assertEquals("\0x", server.read(file, 0, 9));
    }

    @Test
    void losesWhatIsRemoved() throws Exception {
        Files.delete(path);
        isStale();
        assertEquals(Status.NOENT, server.status(new Nfs3Call.Lookup(new DirOpArgs(root, "file"))));
        Files.writeString(path, "another");
        assertNotEquals(file, found());
        assertEquals("another", server.read(found(), 0, 9));
        isStale();
    }

    @Test
    void losesWhatIsReplaced() throws Exception {
        var next = Files.writeString(testDirectory.root().resolve("next"), "another");
        Files.move(next, path, StandardCopyOption.REPLACE_EXISTING);
        isStale();
        assertEquals("another", server.read(found(), 0, 9));
        server.write(found(), 0, "A");
        assertEquals("Another", Files.readString(path));
    }

    private void isStale() throws Exception {
        assertEquals(Status.STALE, server.status(new Nfs3Call.Read(file, 0, 1)));
        assertEquals(
                Status.STALE, server.status(TestServer.write(file, 0, Stability.UNSTABLE, "x")));
        assertEquals(Status.STALE, server.status(new Nfs3Call.Commit(file, 0, 0)));
        assertEquals(Status.STALE, server.status(new Nfs3Call.GetAttributes(file)));
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
        switch (server.call(new Nfs3Call.Read(file, 0, bytes))) {
            case Nfs3Reply.Failed<?, ?>(var status, _) -> throw new AssertionError(status);
            case Nfs3Reply.Ok<?, ?>(_, var read) -> {
                var text = TestServer.text((Nfs3Results.ReadData) read);
                assertTrue(text.length() <= bytes);
                assertEquals(0, text.replace("\1", "").length(), "bytes that nobody wrote");
            }
        }
    }
}
