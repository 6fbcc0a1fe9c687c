package io.github.rpcrdma4j.nfs.client.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.SystemCalls;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a tree never leads outside. Method: another thread replaces directories and files by links
 * while the tree is used.
 */
@Timeout(120)
class LinuxTreeChangedByOthersTest extends LocalTreeUser {
    private static final String INSIDE = "inside";
    private static final String OUTSIDE = "outside";
    private static final int TURNS_MIN = 1_000;

    /** After that time a test ends with fewer turns, if it has seen both outcomes. */
    private static final long ENOUGH_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Map<Reason, Integer> refused = new EnumMap<>(Reason.class);
    private int done;

    @Override
    Set<Trait> traits() {
        return EnumSet.allOf(Trait.class);
    }

    @Override
    Path makeDirectory() throws IOException {
        assumeTrue(SystemCalls.missing().isEmpty(), () -> SystemCalls.missing().orElse(""));
        return Files.createTempDirectory("nfs-client").toRealPath();
    }

    /** Opens a tree in one subdirectory; the files that must stay untouched are beside it. */
    @Override
    LocalTree open(Path opened) throws IOException {
        return LocalTree.open(Files.createDirectories(opened.resolve("tree")), WHAT);
    }

    /** Exchanges two names of the tree repeatedly until the flag is set. */
    private Thread exchange(String one, String other, AtomicBoolean ends) {
        var top = directory.resolve("tree");
        return Thread.ofPlatform()
                .start(
                        () -> {
                            var scratch = new Scratch();
                            long path = scratch.text(Scratch.TEXT, bytes(top.resolve(one)));
                            long otherPath =
                                    scratch.text(Scratch.TEXT + 2048, bytes(top.resolve(other)));
                            while (!ends.get()) {
                                Kernel.renameat2(
                                        scratch,
                                        Kernel.AT_FDCWD,
                                        path,
                                        Kernel.AT_FDCWD,
                                        otherPath,
                                        Kernel.RENAME_EXCHANGE);
                            }
                        });
    }

    private static byte[] bytes(Path path) {
        return path.toString().getBytes(StandardCharsets.UTF_8);
    }

    private interface Step {
        void take() throws IOException;
    }

    private void attempt(Step step) throws IOException {
        try {
            step.take();
            done++;
        } catch (LocalException failure) {
            refused.merge(failure.reason(), 1, Integer::sum);
        }
    }

    private void makeBoth() throws IOException {
        makeDirectory(at("directory"));
        makeDirectory(at("directory", "sub"));
        makeFile(at("directory", "sub", "file"), INSIDE);
        var sub = Files.createDirectories(directory.resolve("beside/sub"));
        Files.writeString(sub.resolve("file"), OUTSIDE);
        Files.writeString(sub.resolve("only-outside"), OUTSIDE);
        Files.createSymbolicLink(sub.resolve("link"), Path.of("file"));
    }

    /** Returns all files outside the tree, with every attribute that could have changed. */
    private Map<String, String> outside() throws IOException {
        var found = new TreeMap<String, String>();
        try (var all = Files.walk(directory.resolve("beside"))) {
            for (var each : all.toList()) {
                var attributes =
                        Files.readAttributes(
                                each,
                                "unix:mode,ino,nlink,uid,gid,size,lastModifiedTime,ctime",
                                LinkOption.NOFOLLOW_LINKS);
                found.put(each.toString(), new TreeMap<>(attributes).toString());
            }
        }
        return found;
    }

    private void use(int turn) throws IOException {
        var sub = at("directory", "sub");
        var file = at("directory", "sub", "file");
        var made = at("directory", "sub", "made");
        var moved = at("directory", "sub", "moved");
        attempt(() -> assertEquals(INSIDE, content(file)));
        attempt(
                () ->
                        assertTrue(
                                tree.list(sub, (_, _) -> {}, WHAT).stream()
                                        .noneMatch(FileName.of("only-outside")::equals),
                                "what is outside is listed"));
        attempt(() -> assertEquals(INSIDE.length(), tree.status(file, WHAT).size()));
        attempt(() -> tree.readLink(at("directory", "sub", "link"), WHAT));
        attempt(
                () ->
                        tree.change(
                                file,
                                FileType.REGULAR,
                                LocalChanges.ofMode(0600 | turn & 077),
                                WHAT));
        var time = Instant.ofEpochSecond(turn);
        attempt(
                () ->
                        tree.change(
                                sub,
                                FileType.DIRECTORY,
                                LocalChanges.NONE.withTimes(time, time),
                                WHAT));
        attempt(() -> makeFile(made, "new"));
        attempt(() -> tree.rename(made, moved, WHAT));
        attempt(() -> tree.link(file, made, WHAT));
        attempt(() -> tree.remove(made, WHAT));
        attempt(() -> tree.remove(moved, WHAT));
        attempt(() -> tree.makeLink(made, PathName.of("x"), WHAT));
        attempt(() -> tree.remove(made, WHAT));
        attempt(() -> tree.remove(at("directory", "sub", "only-outside"), WHAT));
        attempt(() -> tree.makeDirectory(at("directory", "sub", "directory-" + turn), 0700, WHAT));
        attempt(() -> makeFile(at("top"), "new"));
        attempt(() -> tree.rename(at("top"), moved, WHAT));
        attempt(() -> tree.rename(moved, at("top"), WHAT));
        attempt(() -> tree.remove(at("top"), WHAT));
    }

    @Test
    void nothingIsTouchedOutsideOfATree() throws Exception {
        makeBoth();
        makeLink(at("other"), "../beside");
        var before = outside();
        var ends = new AtomicBoolean();
        var exchanging = exchange("directory", "other", ends);
        try {
            long deadline = System.nanoTime() + ENOUGH_NANOS;
            for (int turn = 0; !isEnough(turn, deadline, Reason.LINK); turn++) {
                use(turn);
            }
        } finally {
            ends.set(true);
            exchanging.join();
        }
        assertEquals(before, outside());
    }

    private boolean isEnough(int turns, long deadline, Reason refusal) {
        boolean isBothSeen = done > 0 && refused.containsKey(refusal);
        return isBothSeen && (turns >= TURNS_MIN || System.nanoTime() > deadline);
    }

    @Test
    void neitherALinkNorAFifoIsOpenedInPlaceOfAFile() throws Exception {
        makeBoth();
        var before = outside();
        makeLink(at("link"), "../beside/sub/file");
        readWhileExchanged("link", Reason.LINK);
        tree.makeNode(at("fifo"), FileType.FIFO, 0600, 0, 0, WHAT);
        readWhileExchanged("fifo", Reason.UNSUPPORTED);
        assertEquals(before, outside());
    }

    private void readWhileExchanged(String other, Reason only) throws Exception {
        refused.clear();
        done = 0;
        var name = "exchanged-with-" + other;
        makeFile(at(name), INSIDE);
        var ends = new AtomicBoolean();
        var exchanging = exchange(name, other, ends);
        try {
            long deadline = System.nanoTime() + ENOUGH_NANOS;
            for (int turn = 0; !isEnough(turn, deadline, only); turn++) {
                attempt(() -> assertEquals(INSIDE, content(at(name))));
            }
        } finally {
            ends.set(true);
            exchanging.join();
        }
        assertEquals(Set.of(only), refused.keySet());
    }

    /**
     * Goal: a descriptor in use is not closed. If it were, its number could belong to another file.
     */
    @Test
    void aTreeAndAFileMayBeClosedWhileTheyAreUsed() throws Exception {
        makeFile(at("file"), INSIDE);
        for (int turn = 0; turn < 200; turn++) {
            var used = LocalTree.open(directory.resolve("tree"), WHAT);
            var file = used.create(at("made"), 0600, WHAT);
            var thread =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            while (true) {
                                                used.status(at("file"), WHAT);
                                                file.write(MemorySegment.ofArray(new byte[9]), 0);
                                            }
                                        } catch (IllegalStateException | IOException end) {
                                            refused.merge(
                                                    end instanceof IllegalStateException
                                                            ? Reason.OTHER
                                                            : Reason.INPUT_OUTPUT,
                                                    1,
                                                    Integer::sum);
                                        }
                                    });
            Thread.yield();
            used.close();
            file.close();
            thread.join();
            tree.remove(at("made"), WHAT);
        }
        assertEquals(Map.of(Reason.OTHER, 200), refused);
    }
}
