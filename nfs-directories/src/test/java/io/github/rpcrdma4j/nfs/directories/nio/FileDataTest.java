package io.github.rpcrdma4j.nfs.directories.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import io.github.rpcrdma4j.nfs.store.contract.StoreUser;
import io.github.rpcrdma4j.testing.Eventually;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: every loss of data is reported, and nothing else is. Method: storage that fails. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FileDataTest extends StoreUser<TestDirectory> {
    private static final Duration LONG = Duration.ofHours(1);
    private static final long BEYOND_ALL_STORAGE = 1L << 62;

    private final List<FailingChannel> channels = new CopyOnWriteArrayList<>();
    private final OpenFiles openFiles =
            new OpenFiles(
                    (path, options) -> {
                        channels.add(new FailingChannel(FileChannel.open(path, options)));
                        return channels.getLast();
                    },
                    verifier,
                    LONG,
                    LONG);

    @Override
    protected TestDirectory makePlace() throws IOException {
        return TestDirectory.of(TestDirectory.Kind.BASIC);
    }

    @Override
    protected FileStore open(TestDirectory place, WriteVerifier verifier) throws IOException {
        return NioStore.open(place.root(), 1, verifier);
    }

    @Override
    protected Set<Trait> traits() {
        return Set.of();
    }

    @AfterEach
    void closeFiles() {
        openFiles.close();
        assertEquals(0, openFiles.files());
        assertTrue(channels.stream().noneMatch(FileChannel::isOpen));
    }

    private NioNode node(FileId file) throws StoreException {
        return (NioNode) store.node(file, Mounts.STAY);
    }

    private void write(FileId file, long offset) throws StoreException {
        var source = MemorySegment.ofArray(new byte[] {'x'});
        new FileData((NioStore) store, openFiles)
                .write(node(file), offset, source, Stability.UNSTABLE, Storage.SYNC);
    }

    private long commit(FileId file) throws StoreException {
        return new FileData((NioStore) store, openFiles).commit(node(file), Storage.SYNC).value();
    }

    private OpenFiles.Use open(FileId file) throws StoreException {
        return ((NioStore) store)
                .at(
                        node(file),
                        resolved -> {
                            try {
                                return openFiles.open(resolved, true);
                            } catch (IOException broken) {
                                throw new AssertionError(broken);
                            }
                        });
    }

    private void dropKept(FileId file) {
        openFiles.forget(Inode.of(file).orElseThrow(), false);
    }

    private static void awaitEndOrWait(Thread thread) {
        Eventually.await(() -> !thread.isAlive() || thread.getState() == Thread.State.WAITING);
    }

    @Test
    void aCommitWaitsForAForceThatMayFail() throws Exception {
        var file = create(root(), "file");
        var other = create(root(), "other");
        write(file, 0);
        long before = verifier.now();
        var gate = new FailingChannel.Gate();
        channels.getFirst().failing = gate;
        var closer = Thread.ofPlatform().start(() -> dropKept(file));
        gate.awaitForce();
        var commit = new FutureTask<>(() -> commit(file));
        var committer = Thread.ofPlatform().start(commit);
        awaitEndOrWait(committer);
        assertEquals(before, commit(other), "another file waits for nothing");
        gate.letFail();
        closer.join();
        assertNotEquals(before, verifier.now());
        assertEquals(verifier.now(), commit.get(30, TimeUnit.SECONDS));
        committer.join();
        assertFalse(channels.getFirst().isOpen());
    }

    @Test
    void aCommitForcesWhatWasWrittenByAChannelThatIsNotKept() throws Exception {
        var file = create(root(), "file");
        try (var use = open(file)) {
            use.writes();
            dropKept(file);
            channels.getFirst().failing = FailingChannel.Gate.open();
            long before = verifier.now();
            fails(Failure.IO, file, _ -> commit(file));
            assertNotEquals(before, verifier.now());
            assertEquals(verifier.now(), commit(file));
        }
        assertFalse(channels.getFirst().isOpen());
    }

    @Test
    void aCommitReportsAChannelThatWasClosedBeforeItsForce() throws Exception {
        var file = create(root(), "file");
        try (var use = open(file)) {
            use.writes();
            use.channel().close();
            long before = verifier.now();
            long after = commit(file);
            assertNotEquals(before, after);
            assertEquals(after, commit(file));
        }
    }

    @Test
    void aWriteThatFailsOnStorageMayHaveLostOthers() throws Exception {
        var file = create(root(), "file");
        write(file, 0);
        channels.getFirst().refusal = new IOException("Input/output error");
        long before = verifier.now();
        fails(Failure.IO, file, _ -> writeAgain(file, 0));
        assertNotEquals(before, verifier.now());
    }

    @Test
    void aWriteThatIsRefusedLosesNothing() throws Exception {
        var file = create(root(), "file");
        write(file, 0);
        long before = verifier.now();
        channels.getFirst().refusal = new IOException("File too large");
        fails(Failure.NOSPC, file, _ -> writeAgain(file, BEYOND_ALL_STORAGE));
        channels.getFirst().refusal = new AccessDeniedException("file");
        fails(Failure.ACCES, file, _ -> writeAgain(file, 0));
        assertEquals(before, verifier.now());
        assertEquals(before, commit(file));
    }

    private Void writeAgain(FileId file, long offset) throws StoreException {
        write(file, offset);
        return null;
    }
}
