package io.github.rpcrdma4j.nfs.store.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.AttributeChanges.TimeChange;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Node.Basis;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.Time;
import java.io.Closeable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** The behavior of every store for the data and attributes of files. */
public abstract class DataContract<P extends Closeable> extends CreationsContract<P> {
    private static final int GROWN_BYTES = 3000;

    private Node.ReadBytes readBytes(FileId file, long offset, int bytes) throws Exception {
        try (var arena = Arena.ofConfined()) {
            var target = arena.allocate(bytes);
            return at(file, node -> node.read(caller(), offset, target));
        }
    }

    /** Called by the test of a store. */
    protected DataContract() {}

    @Test
    void whatWasWrittenIsRead() throws Exception {
        var file = create(root(), "file");
        assertEquals(5, write(file, 0, "hello").value().bytes());
        write(file, 3, "p me");
        write(file, 9, "!");
        assertEquals("help me\0\0!", read(file, 0, 100));
        assertEquals("lp", read(file, 2, 2));
        assertEquals(10, status(file).size());
        reopen();
        assertEquals("help me\0\0!", read(file, 0, 100));
    }

    @Test
    void memoryOfAnyKindIsWritten() throws Exception {
        var file = create(root(), "file");
        byte[] heap = "..hello..".getBytes();
        try (var arena = Arena.ofShared()) {
            var foreign = arena.allocateFrom(ValueLayout.JAVA_BYTE, heap);
            for (var memory : List.of(MemorySegment.ofArray(heap), foreign, foreign.asReadOnly())) {
                var source = memory.asSlice(2, 5);
                at(file, n -> n.write(caller(), 0, source, Stability.FILE_SYNC, Storage.SYNC));
                assertEquals("hello", read(file, 0, 9));
            }
        }
    }

    @Test
    void theEndIsSeen() throws Exception {
        var file = create(root(), "file");
        write(file, 0, "hello");
        assertFalse(readBytes(file, 0, 4).endOfFile());
        assertFalse(readBytes(file, 0, 0).endOfFile());
        for (long offset : new long[] {0, 5, 6, 1L << 40, Long.MAX_VALUE}) {
            var read = readBytes(file, offset, 5);
            assertTrue(read.endOfFile());
            assertEquals(offset == 0 ? 5 : 0, read.bytes());
            assertEquals(5, read.status().orElseThrow().size());
        }
        assertEquals(0, write(file, 7, "").value().bytes());
        assertEquals(5, status(file).size());
    }

    /**
     * Goal: a read that finds nothing has seen the end, even if the file grows meanwhile. Method:
     * one thread reads at the end of a file that another thread makes longer, byte by byte.
     */
    @Test
    void aReadThatFindsNothingHasSeenTheEnd() throws Exception {
        var file = create(root(), "file");
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var growing =
                    threads.submit(
                            () -> {
                                for (int i = 0; i < GROWN_BYTES; i++) {
                                    long end = i;
                                    patiently(() -> writeOne(file, end));
                                }
                                return null;
                            });
            while (!growing.isDone()) {
                var read = patiently(() -> readBytes(file, status(file).size(), 1));
                assertTrue(read.bytes() == 1 || read.endOfFile(), read::toString);
            }
            growing.get();
        }
        assertEquals(GROWN_BYTES, status(file).size());
    }

    private Node.Written writeOne(FileId file, long offset) throws StoreException {
        var source = MemorySegment.ofArray(new byte[1]);
        return at(
                        file,
                        node ->
                                node.write(
                                        caller(),
                                        offset,
                                        source,
                                        Stability.UNSTABLE,
                                        Storage.ASYNC))
                .value();
    }

    /** Repeats a call while the store lacks descriptors, as clients do. */
    private static <R> R patiently(Callable<R> call) throws Exception {
        while (true) {
            try {
                return call.call();
            } catch (StoreException failure) {
                assertEquals(Failure.AGAIN, failure.failure());
            }
        }
    }

    @Test
    void filesCanBeLongerThanTheirStorage() throws Exception {
        assumeTrue(has(Trait.HOLES), "there are no holes here");
        long far = 5L << 30;
        var file = create(root(), "file");
        write(file, far - 3, "end");
        assertEquals(far, status(file).size());
        assertEquals("end", read(file, far - 3, 100));
        assertEquals("\0\0", read(file, (4L << 30) - 1, 2));
        change(file, ofSize(2 * far));
        assertEquals(2 * far, status(file).size());
        assertEquals("\0", read(file, 2 * far - 1, 100));
    }

    @Test
    void noFileIsLongerThanNumbersReach() throws Exception {
        var file = create(root(), "file");
        var source = MemorySegment.ofArray(new byte[1]);
        fails(
                Failure.FBIG,
                file,
                n -> n.write(caller(), Long.MAX_VALUE, source, Stability.UNSTABLE, Storage.SYNC));
        assertEquals(0, status(file).size());
    }

    @Test
    void onlyRegularFilesHaveBytes() throws Exception {
        var directory = makeDirectory(root(), "directory");
        var link = makeLink(root(), "link", "directory");
        var memory = Arena.ofAuto().allocate(1);
        for (var file : List.of(directory, link)) {
            var expected = file == directory ? Failure.ISDIR : Failure.INVAL;
            fails(expected, file, n -> n.read(caller(), 0, memory));
            fails(
                    expected,
                    file,
                    n -> n.write(caller(), 0, memory, Stability.UNSTABLE, Storage.SYNC));
            fails(
                    expected,
                    file,
                    n ->
                            n.setAttributes(
                                    caller(),
                                    Basis.RIGHTS,
                                    ofSize(0),
                                    Optional.empty(),
                                    Storage.SYNC));
        }
    }

    @Test
    void bytesAreAsSafeAsIsAskedFor() throws Exception {
        var file = create(root(), "file");
        long before = verifier.now();
        for (var storage : Storage.values()) {
            for (var stability : Stability.values()) {
                var source = MemorySegment.ofArray(new byte[1]);
                var written =
                        at(file, n -> n.write(caller(), 0, source, stability, storage)).value();
                assertEquals(new Node.Written(1, stability, before), written);
            }
            assertEquals(before, at(file, n -> n.commit(caller(), storage)).value());
        }
        verifier.change();
        assertEquals(verifier.now(), at(file, n -> n.commit(caller(), Storage.SYNC)).value());
        assertEquals(verifier.now(), write(file, 0, "x").value().verifier());
    }

    @Test
    void changesOfBytesAreReported() throws Exception {
        var file = create(root(), "file");
        var before = status(file);
        var written = write(file, 0, "hello");
        assertEquals(Optional.of(before), written.before());
        assertEquals(5, written.after().orElseThrow().size());
        before = status(file);
        var cut = change(file, ofSize(2));
        assertEquals(5, cut.before().orElseThrow().size());
        assertEquals(2, cut.after().orElseThrow().size());
        var committed = at(file, n -> n.commit(caller(), Storage.SYNC));
        assertEquals(
                cut.after().map(FileStatus::changed), committed.before().map(FileStatus::changed));
        assertEquals(2, committed.after().orElseThrow().size());
    }

    /** Goal: a removed file cannot be read, even through an open node. */
    @Test
    void whatIsRemovedWhileItIsOpenIsStale() throws Exception {
        var file = create(root(), "file");
        write(file, 0, "hello");
        assertEquals("hello", read(file, 0, 9));
        try (var node = store.node(file, FileStore.Mounts.STAY)) {
            remove(root(), "file");
            var memory = Arena.ofAuto().allocate(1);
            staleAt(() -> node.read(caller(), 0, memory));
            staleAt(() -> node.write(caller(), 0, memory, Stability.UNSTABLE, Storage.SYNC));
            staleAt(node::status);
            staleAt(() -> node.commit(caller(), Storage.SYNC));
            staleAt(() -> node.access(caller(), Node.READ));
            staleAt(
                    () ->
                            node.setAttributes(
                                    caller(),
                                    Basis.RIGHTS,
                                    ofSize(0),
                                    Optional.empty(),
                                    Storage.SYNC));
        }
        fails(Failure.STALE, file, Node::status);
        assertEquals(List.of(), names(root()));
    }

    private interface Call {
        Object run() throws StoreException;
    }

    private static void staleAt(Call call) {
        try {
            call.run();
        } catch (StoreException failure) {
            assertEquals(Failure.STALE, failure.failure());
            return;
        }
        throw new AssertionError("the file is gone");
    }

    @Test
    void sizesAreChanged() throws Exception {
        var file = create(root(), "file");
        write(file, 0, "hello");
        change(file, ofSize(2));
        change(file, ofSize(4));
        change(file, ofSize(4));
        assertEquals("he\0\0", read(file, 0, 100));
    }

    @Test
    void timesAreChanged() throws Exception {
        var early = new Time(1_000_000_000, 0);
        var late = new Time(1_100_000_000, 0);
        for (var file : List.of(create(root(), "file"), makeDirectory(root(), "directory"))) {
            change(file, ofTimes(new TimeChange.To(early), new TimeChange.To(late)));
            assertEquals(early, status(file).accessed());
            assertEquals(late, status(file).modified());
            change(file, ofTimes(new TimeChange.Keep(), new TimeChange.Now()));
            assertEquals(early, status(file).accessed());
            assertTrue(status(file).modified().seconds() > late.seconds());
            change(file, ofTimes(new TimeChange.Now(), new TimeChange.To(late)));
            assertTrue(status(file).accessed().seconds() > late.seconds());
            assertEquals(late, status(file).modified());
        }
    }

    @Test
    void modesAreChangedWhereTheyAreKept() throws Exception {
        assumeTrue(has(Trait.MODES), "there are no modes here");
        for (var file : List.of(create(root(), "file"), makeDirectory(root(), "directory"))) {
            for (int mode : new int[] {0, 0400, 0200, 0100, 040, 020, 010, 4, 2, 1, 0751, 0777}) {
                change(file, ofMode(mode));
                assertEquals(mode, status(file).mode());
            }
        }
    }

    @Test
    void noFileIsGivenToTheIdThatIsNone() throws Exception {
        var file = create(root(), "file");
        var none = OptionalInt.of(Caller.NO_ID);
        var uid =
                new AttributeChanges(
                        NONE.mode(),
                        none,
                        NONE.gid(),
                        NONE.size(),
                        NONE.accessed(),
                        NONE.modified());
        var gid =
                new AttributeChanges(
                        NONE.mode(),
                        NONE.uid(),
                        none,
                        NONE.size(),
                        NONE.accessed(),
                        NONE.modified());
        for (var changes : List.of(uid, gid)) {
            fails(
                    Failure.INVAL,
                    file,
                    n ->
                            n.setAttributes(
                                    caller(),
                                    Basis.RIGHTS,
                                    changes,
                                    Optional.empty(),
                                    Storage.SYNC));
        }
    }

    @Test
    void onlyWhatWasNotChangedIsChanged() throws Exception {
        var file = create(root(), "file");
        write(file, 0, "hello");
        var changed = status(file).changed();
        var other = new Time(changed.seconds() - 1, changed.nanos());
        fails(
                Failure.NOT_SYNC,
                file,
                n ->
                        n.setAttributes(
                                caller(),
                                Basis.RIGHTS,
                                ofSize(1),
                                Optional.of(other),
                                Storage.SYNC));
        assertEquals(5, status(file).size());
        at(
                file,
                n ->
                        n.setAttributes(
                                caller(),
                                Basis.RIGHTS,
                                ofSize(1),
                                Optional.of(changed),
                                Storage.SYNC));
        assertEquals(1, status(file).size());
    }

    private int access(FileId file, int wanted) throws StoreException {
        return at(file, n -> n.access(caller(), wanted));
    }

    @Test
    void accessIsGrantedByWhatIsAskedFor() throws Exception {
        var file = create(root(), "file");
        int data = Node.READ | Node.WRITE;
        assertEquals(data, access(file, data));
        assertEquals(Node.READ, access(file, Node.READ));
        assertEquals(0, access(file, 0));
        int all = data | Node.EXECUTE;
        assertEquals(all, access(root(), all));
    }

    @Test
    void theSpaceIsReported() throws Exception {
        var space = at(create(root(), "file"), Node::space);
        assertTrue(space.totalBytes() >= space.freeBytes());
        assertTrue(space.freeBytes() >= space.availableBytes());
        assertTrue(space.totalFiles() >= space.freeFiles());
        assertEquals(255, space.nameMax());
        assertTrue(space.linksMax() > 0);
        assertTrue(at(makeLink(root(), "link", "nowhere"), Node::space).totalBytes() > 0);
    }
}
