package io.github.rpcrdma4j.nfs.directories.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import io.github.rpcrdma4j.testing.Eventually;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OpenFilesTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration MOMENT = Duration.ofMillis(20);

    private final WriteVerifier verifier = new WriteVerifier();
    private final OpenFiles openFiles = new OpenFiles(verifier);
    private TestDirectory testDirectory;
    private AttributeReader reader;

    @BeforeEach
    void make() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
        reader = new AttributeReader(testDirectory.root().toRealPath(), 1);
    }

    @AfterEach
    void remove() throws Exception {
        openFiles.close();
        testDirectory.close();
    }

    private ResolvedFile file(String name) throws Exception {
        var path = Files.createFile(testDirectory.root().resolve(name));
        return new ResolvedFile(path, reader.read(path));
    }

    @Test
    void opensAFileOnceForEachUse() throws Exception {
        var file = file("file");
        try (var one = openFiles.open(file, false);
                var other = openFiles.open(file, false);
                var writable = openFiles.open(file, true)) {
            assertSame(one.channel(), other.channel());
            assertNotSame(one.channel(), writable.channel());
        }
        assertEquals(2, openFiles.size());
        try (var again = openFiles.open(file, false)) {
            assertTrue(again.channel().isOpen());
        }
        assertEquals(2, openFiles.size());
    }

    @Test
    void closesTheLongestUnusedOfTooMany() throws Exception {
        var first = openFiles.open(file("first"), false);
        var used = openFiles.open(file("used"), false);
        first.close();
        for (int i = 0; i < OpenFiles.KEPT_MAX; i++) {
            openFiles.open(file("file-" + i), false).close();
        }
        assertEquals(OpenFiles.KEPT_MAX, openFiles.size());
        assertFalse(first.channel().isOpen());
        assertTrue(used.channel().isOpen(), "closed under its user");
        used.close();
        assertFalse(used.channel().isOpen());
    }

    @Test
    void closesWhatIsForgottenWhenItsLastUserIsDone() throws Exception {
        var file = file("file");
        var one = openFiles.open(file, true);
        var other = openFiles.open(file, true);
        openFiles.forget(file.inode(), true);
        one.close();
        assertTrue(other.channel().isOpen());
        other.close();
        assertFalse(other.channel().isOpen());
        assertEquals(0, openFiles.size());
        assertEquals(0, openFiles.files());
    }

    @Test
    void reopensAClosedChannel() throws Exception {
        var file = file("file");
        var broken = openFiles.open(file, false);
        broken.channel().close();
        try (var whole = openFiles.open(file, false)) {
            assertTrue(whole.channel().isOpen());
        }
        broken.close();
        assertEquals(1, openFiles.size());
    }

    /**
     * Goal: a low limit on descriptors costs time, but no call fails. Method: an opener with a
     * limit.
     */
    @Test
    void closesWhatIsNotInUseWhenThereAreNoDescriptors() throws Exception {
        int limit = 3;
        var open = new ArrayList<FileChannel>();
        var opener =
                new OpenFiles.Opener() {
                    @Override
                    public FileChannel open(Path path, Set<OpenOption> options) throws IOException {
                        if (isExhausted(path)) {
                            throw new FileSystemException(path.toString(), null, "in any words");
                        }
                        open.add(FileChannel.open(path, options));
                        return open.getLast();
                    }

                    @Override
                    public boolean isExhausted(Path directory) {
                        open.removeIf(channel -> !channel.isOpen());
                        return open.size() == limit;
                    }
                };
        try (var few = new OpenFiles(opener, verifier, LONG, LONG)) {
            var used = few.open(file("used"), false);
            for (int i = 0; i < 10; i++) {
                try (var use = few.open(file("file-" + i), false)) {
                    assertTrue(use.channel().isOpen());
                }
                assertTrue(used.channel().isOpen(), "closed under its user");
            }
            var second = few.open(file("second"), true);
            var third = few.open(file("third"), true);
            var none = file("one too many");
            var refused = assertThrows(IOException.class, () -> few.open(none, false));
            var failure = Failures.ofChange(refused, none.path());
            assertEquals(Failure.AGAIN, failure.failure());
            third.close();
            few.open(none, false).close();
            second.close();
            used.close();
        }
        assertTrue(open.stream().noneMatch(FileChannel::isOpen));
    }

    /** Goal: a removed file frees its storage. Method: keep files for a moment only. */
    @Test
    void closesWhatIsNotUsedForSomeTime() throws Exception {
        try (var brief = new OpenFiles(FileChannel::open, verifier, MOMENT, MOMENT)) {
            var used = brief.open(file("used"), false);
            for (int round = 0; round < 2; round++) {
                var unused = brief.open(file("unused-" + round), false);
                unused.close();
                assertTimeoutPreemptively(
                        Duration.ofSeconds(30),
                        () -> {
                            Eventually.await(() -> !unused.channel().isOpen());
                        });
                assertTrue(used.channel().isOpen(), "closed under its user");
                assertEquals(1, brief.size());
            }
            used.close();
        }
    }

    @Test
    void closesEverythingInTheEnd() throws Exception {
        var file = file("file");
        var unused = openFiles.open(file, false);
        unused.close();
        var used = openFiles.open(file, true);
        openFiles.close();
        assertFalse(unused.channel().isOpen());
        used.close();
        assertFalse(used.channel().isOpen());
        assertThrows(IOException.class, () -> openFiles.open(file, false));
    }

    /** Goal: every loss is reported. Method: storage that fails once. */
    @Test
    void reportsOnceThatWhatWasWrittenMayBeLost() throws Exception {
        var channels = new ArrayList<FailingChannel>();
        OpenFiles.Opener opener =
                (path, options) -> {
                    channels.add(new FailingChannel(FileChannel.open(path, options)));
                    return channels.getLast();
                };
        try (var failing = new OpenFiles(opener, verifier, LONG, LONG)) {
            var use = failing.open(file("file"), true);
            use.writes();
            channels.getFirst().failing = FailingChannel.Gate.open();
            long before = verifier.now();
            assertThrows(IOException.class, () -> use.force(true));
            long after = verifier.now();
            assertNotEquals(before, after);
            use.force(true);
            assertEquals(after, verifier.now());
            use.close();
            // Closing a file forces its unforced data.
            var other = failing.open(file("other"), true);
            other.writes();
            other.close();
            var removed = file("removed");
            var unwanted = failing.open(removed, true);
            unwanted.writes();
            unwanted.close();
            failing.forget(removed.inode(), true);
            channels.get(1).failing = FailingChannel.Gate.open();
        }
        assertEquals(1, channels.get(1).forced);
        assertNotEquals(0, channels.get(0).forced);
        assertEquals(0, channels.get(2).forced, "nobody can read it");
        assertTrue(channels.stream().noneMatch(FileChannel::isOpen));
    }

    /**
     * Goal: every loss is reported. Method: an interrupted thread closes a file and cannot force
     * it.
     */
    @Test
    void reportsThatAnInterruptedThreadForcedNothing() throws Exception {
        var file = file("file");
        var use = openFiles.open(file, true);
        use.writes();
        use.close();
        long before = verifier.now();
        Thread.currentThread().interrupt();
        try {
            openFiles.forget(file.inode(), false);
        } finally {
            assertTrue(Thread.interrupted());
        }
        assertFalse(use.channel().isOpen());
        assertNotEquals(before, verifier.now());
    }

    /**
     * Goal: every loss is reported. Method: a SETATTR notices the loss, and a COMMIT arrives before
     * the verifier changes.
     */
    @Test
    void aCommitWaitsForAForceByAChannelOfItsOwn() throws Exception {
        var file = file("file");
        long before = verifier.now();
        var gate = new FailingChannel.Gate();
        try (var channel = new FailingChannel(FileChannel.open(file.path()));
                var use = openFiles.open(file, true)) {
            channel.failing = gate;
            var force =
                    new FutureTask<Void>(
                            () -> {
                                openFiles.force(file.inode(), channel);
                                return null;
                            });
            var forcer = Thread.ofPlatform().start(force);
            gate.awaitForce();
            var commit = new FutureTask<>(use::commit);
            var committer = Thread.ofPlatform().start(commit);
            Eventually.await(
                    () -> !committer.isAlive() || committer.getState() == Thread.State.WAITING);
            gate.letFail();
            committer.join();
            forcer.join();
            assertThrows(ExecutionException.class, force::get);
            assertNotEquals(before, verifier.now());
            assertEquals(verifier.now(), commit.get());
        }
        openFiles.forget(file.inode(), false);
        assertEquals(0, openFiles.files());
    }

    /** Goal: a channel stays open while a COMMIT forces it. Method: a blocked force. */
    @Test
    void closesWhatACommitUsesWhenThatIsDone() throws Exception {
        var channels = new ArrayList<FailingChannel>();
        OpenFiles.Opener opener =
                (path, options) -> {
                    channels.add(new FailingChannel(FileChannel.open(path, options)));
                    return channels.getLast();
                };
        var file = file("file");
        try (var failing = new OpenFiles(opener, verifier, LONG, LONG)) {
            var written = failing.open(file, true);
            written.writes();
            failing.forget(file.inode(), false);
            try (var other = failing.open(file, true)) {
                var gate = new FailingChannel.Gate();
                channels.getFirst().failing = gate;
                var commit = new FutureTask<>(other::commit);
                var committer = Thread.ofPlatform().start(commit);
                gate.awaitForce();
                written.close();
                assertTrue(written.channel().isOpen(), "closed under a COMMIT");
                gate.letFail();
                committer.join();
                assertThrows(ExecutionException.class, commit::get);
                assertFalse(written.channel().isOpen());
                assertEquals(1, failing.files());
            }
            failing.forget(file.inode(), false);
            assertEquals(0, failing.files());
        }
    }
}
