package io.github.rpcrdma4j.nfs.client.local;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** The tests that files of every tree pass: contents, modes, times and owners. */
abstract class LocalFileContract extends LocalTreeUser {
    private static final int HOLE_BYTES = 1 << 20;

    @Test
    void aFileHasTheBytesThatWereWritten() throws IOException {
        var file = makeFile(at("file"), "some content");
        assertEquals("some content", content(file));
        var status = status(file);
        assertEquals(FileType.REGULAR, status.type());
        assertEquals(12, status.size());
        assertEquals(1, status.links());
    }

    @Test
    void bytesAreReadAndWrittenAtOffsetsFromMemoryOfAnyKind() throws IOException {
        int bytes = 700_001;
        var content = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            content[i] = (byte) (i * 31 >>> 3);
        }
        try (var file = tree.create(at("file"), 0600, WHAT);
                var arena = Arena.ofConfined()) {
            int half = 300_000;
            var memory = arena.allocate(half);
            MemorySegment.copy(content, 0, memory, ValueLayout.JAVA_BYTE, 0, half);
            file.write(MemorySegment.ofArray(Arrays.copyOfRange(content, half, bytes)), half);
            file.write(memory, 0);
            file.write(MemorySegment.ofArray(new byte[0]), 5);
        }
        try (var file = tree.read(at("file"), WHAT);
                var arena = Arena.ofConfined()) {
            var memory = arena.allocate(bytes);
            for (int done = 0; done < bytes; ) {
                int read = file.read(memory.asSlice(done), done);
                assertTrue(read > 0, "the file ends at " + done);
                done += read;
            }
            assertArrayEquals(content, memory.toArray(ValueLayout.JAVA_BYTE));
            assertEquals(0, file.read(memory, bytes));
            assertEquals(0, file.read(memory, bytes + 1000L));
            assertEquals(0, file.read(memory.asSlice(0, 0), 0));
        }
    }

    @Test
    void memoryAndOffsetsThatCannotBeUsedAreRefusedAtOnce() throws IOException {
        var file = makeFile(at("file"), "abc");
        try (var opened = tree.read(file, WHAT);
                var created = tree.create(at("other"), 0600, WHAT)) {
            var heap = MemorySegment.ofArray(new byte[4]);
            assertThrows(IllegalArgumentException.class, () -> opened.read(heap, 0));
            assertThrows(IllegalStateException.class, () -> opened.write(heap, 0));
            assertThrows(IllegalArgumentException.class, () -> created.write(heap, -1));
            assertThrows(IllegalArgumentException.class, () -> created.write(heap, Long.MAX_VALUE));
            assertThrows(IllegalArgumentException.class, () -> created.resize(-1));
            var arena = Arena.ofConfined();
            var memory = arena.allocate(4);
            assertThrows(IllegalStateException.class, () -> created.read(memory, 0));
            arena.close();
            assertThrows(IllegalStateException.class, () -> opened.read(memory, 0));
            assertThrows(IllegalStateException.class, () -> created.write(memory, 0));
        }
    }

    @Test
    void aFileThatIsClosedIsNotUsedAnyMore() throws IOException {
        var file = tree.create(at("file"), 0600, WHAT);
        file.finish();
        file.close();
        file.close();
        var source = MemorySegment.ofArray(new byte[1]);
        assertThrows(IllegalStateException.class, () -> file.write(source, 0));
        tree.close();
        assertThrows(IllegalStateException.class, () -> tree.status(at("file"), WHAT));
    }

    @Test
    void aFileStaysOpenWhenItsTreeIsClosed() throws IOException {
        try (var file = tree.create(at("file"), 0600, WHAT)) {
            tree.close();
            file.write(MemorySegment.ofArray("x".getBytes(StandardCharsets.UTF_8)), 0);
        }
        tree = open(directory);
        assertEquals("x", content(at("file")));
    }

    @Test
    void anInterruptDoesNotCloseAFile() throws IOException {
        var file = makeFile(at("file"), "abc");
        try (var opened = tree.read(file, WHAT);
                var created = tree.create(at("other"), 0600, WHAT);
                var arena = Arena.ofConfined()) {
            var memory = arena.allocate(3);
            Thread.currentThread().interrupt();
            assertEquals(3, opened.read(memory, 0));
            created.write(memory, 0);
            assertTrue(Thread.interrupted(), "the interrupt is lost");
            assertEquals(3, opened.read(memory, 0));
            created.write(memory, 3);
        }
        assertEquals("abcabc", content(at("other")));
    }

    @Test
    void aSizeIsSetAndTheRestIsZeros() throws IOException {
        try (var file = tree.create(at("file"), 0600, WHAT)) {
            file.write(MemorySegment.ofArray("abcdef".getBytes(StandardCharsets.UTF_8)), 0);
            file.resize(3);
            assertEquals(3, file.status().size());
            file.resize(5);
            assertEquals(5, file.status().size());
        }
        assertEquals("abc\0\0", content(at("file")));
    }

    @Test
    void holesAreFound() throws IOException {
        assumeHas(Trait.HOLES);
        try (var file = tree.create(at("file"), 0600, WHAT)) {
            file.write(MemorySegment.ofArray(new byte[] {1}), HOLE_BYTES);
            file.resize(3L * HOLE_BYTES);
        }
        try (var file = tree.read(at("file"), WHAT)) {
            assumeTrue(file.data(0) > 0, "this file system has no holes");
            assertEquals(HOLE_BYTES, file.data(0));
            assertEquals(HOLE_BYTES, file.data(HOLE_BYTES));
            assertEquals(0, file.hole(0));
            long hole = file.hole(HOLE_BYTES);
            assertTrue(hole > HOLE_BYTES && hole <= HOLE_BYTES + 65_536, hole + " is no hole");
            assertEquals(-1, file.data(hole));
            assertEquals(-1, file.data(4L * HOLE_BYTES));
            assertEquals(3L * HOLE_BYTES, file.hole(4L * HOLE_BYTES));
            assertTrue(status(at("file")).used() < HOLE_BYTES, "the holes take room");
        }
    }

    @Test
    void withoutHolesAllIsDataUpToTheEnd() throws IOException {
        var file = makeFile(at("file"), "abc");
        try (var opened = tree.read(file, WHAT)) {
            assertEquals(0, opened.data(0));
            assertEquals(2, opened.data(2));
            assertEquals(-1, opened.data(3));
            assertEquals(3, opened.hole(0));
            assertEquals(3, opened.hole(3));
        }
    }

    @Test
    void aNewFileHasExactlyItsMode() throws IOException {
        assumeHas(Trait.PERMISSIONS);
        for (int mode = 0; mode <= 0777; mode += 3) {
            var file = at("file-" + mode);
            tree.create(file, mode, WHAT).close();
            assertEquals(mode, status(file).mode(), () -> "of " + file.name());
            tree.remove(file, WHAT);
        }
    }

    @Test
    void allBitsOfModesAreSet() throws IOException {
        assumeHas(Trait.MODES);
        var file = makeFile(at("file"), "");
        var inner = makeDirectory(at("directory"));
        for (int mode = 07777; mode >= 0; mode -= 13) {
            var made = at("made-" + mode);
            tree.create(made, mode, WHAT).close();
            assertEquals(mode, status(made).mode());
            for (var each : List.of(file, inner)) {
                change(each, LocalChanges.ofMode(mode));
                assertEquals(mode, status(each).mode());
            }
        }
    }

    @Test
    void aNewDirectoryHasItsModeAtMost() throws IOException {
        assumeHas(Trait.PERMISSIONS);
        for (int mode : new int[] {0700, 0750, 0777, 0500, 0}) {
            var made = at("directory-" + mode);
            tree.makeDirectory(made, mode, WHAT);
            int has = status(made).mode() & 0777;
            assertEquals(0, has & ~mode);
            assertEquals(mode & 0700, has & 0700);
        }
    }

    private static final List<Instant> TIMES =
            List.of(
                    Instant.ofEpochSecond(1_700_000_000, 123_456_789),
                    Instant.ofEpochSecond(1, 1),
                    Instant.ofEpochSecond(0),
                    Instant.ofEpochSecond(-86_400));

    @Test
    void timesAreSetToTheNanosecond() throws IOException {
        for (var file :
                List.of(
                        makeFile(at("file"), ""),
                        makeDirectory(at("directory")),
                        makeLink(at("link"), "nowhere"))) {
            for (var accessed : TIMES) {
                for (var modified : TIMES) {
                    change(file, LocalChanges.NONE.withTimes(accessed, modified));
                    assertEquals(accessed, status(file).accessed());
                    assertEquals(modified, status(file).modified());
                }
            }
        }
    }

    @Test
    void timesBefore1970HaveNanosecondsOrTheirSecond() throws IOException {
        var file = makeFile(at("file"), "");
        var old = Instant.ofEpochSecond(-1_000_000_000, 999_999_999);
        change(file, LocalChanges.NONE.withTimes(old, old));
        var expected =
                traits().contains(Trait.OLD_NANOSECONDS)
                        ? old
                        : Instant.ofEpochSecond(old.getEpochSecond());
        assertEquals(expected, status(file).accessed());
        assertEquals(expected, status(file).modified());
    }

    @Test
    void oneTimeIsChangedAlone() throws IOException {
        var file = makeFile(at("file"), "");
        var one = Instant.ofEpochSecond(1000, 1000);
        var other = Instant.ofEpochSecond(2000, 2000);
        change(file, LocalChanges.NONE.withTimes(one, one));
        var none = OptionalInt.empty();
        change(file, new LocalChanges(none, none, none, Optional.empty(), Optional.of(other)));
        assertEquals(one, status(file).accessed());
        assertEquals(other, status(file).modified());
        change(file, new LocalChanges(none, none, none, Optional.of(other), Optional.empty()));
        assertEquals(other, status(file).accessed());
    }

    @Test
    void modeAndTimesAreChangedTogetherWhateverTheModeForbids() throws IOException {
        assumeHas(Trait.PERMISSIONS);
        var time = Instant.ofEpochSecond(1000, 1000);
        for (int mode : new int[] {0, 0222, 0444, 0111}) {
            var file = at("file-" + mode);
            try (var made = tree.create(file, mode, WHAT)) {
                made.write(MemorySegment.ofArray(new byte[] {1}), 0);
                made.change(LocalChanges.ofMode(mode).withTimes(time, time));
                assertEquals(time, made.status().modified());
            }
            change(file, LocalChanges.ofMode(mode).withTimes(TIMES.get(1), time));
            assertEquals(mode, status(file).mode());
            assertEquals(TIMES.get(1), status(file).accessed());
            assertEquals(time, status(file).modified());
        }
    }

    @Test
    void theModeOfALinkStaysAndItsTargetIsUntouched() throws IOException {
        var target = makeFile(at("target"), "");
        var before = status(target);
        var link = makeLink(at("link"), "target");
        var time = Instant.ofEpochSecond(1000);
        change(link, LocalChanges.ofMode(0).withTimes(time, time));
        assertEquals(time, status(link).modified());
        assertEquals(before.mode(), status(target).mode());
        assertEquals(before.modified(), status(target).modified());
    }

    @Test
    void anOwnerIsSetWhereThatIsAllowedAndElseNothingIs() throws IOException {
        var file = makeFile(at("file"), "");
        var before = status(file);
        var changes =
                LocalChanges.ofMode(04755)
                        .withOwner(4711, 4712)
                        .withTimes(TIMES.get(0), TIMES.get(0));
        if (traits().contains(Trait.OWNERS) && isRoot()) {
            var link = makeLink(at("link"), "file");
            change(link, LocalChanges.NONE.withOwner(1, 2));
            assertEquals(1, status(link).uid());
            assertEquals(before.uid(), status(file).uid());
            change(file, changes);
            var after = status(file);
            assertEquals(4711, after.uid());
            assertEquals(4712, after.gid());
            // The kernel clears these bits when the owner changes; they are set because the mode is
            // set last.
            assertEquals(04755, after.mode());
        } else {
            fails(Reason.NOT_PERMITTED, () -> change(file, changes));
            assertEquals(before.uid(), status(file).uid());
            assertEquals(before.gid(), status(file).gid());
            assertEquals(before.mode(), status(file).mode());
            assertEquals(before.modified(), status(file).modified());
        }
        fails(Reason.NOT_PERMITTED, () -> change(file, LocalChanges.NONE.withOwner(-1, 0)));
    }
}
