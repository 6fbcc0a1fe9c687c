package io.github.rpcrdma4j.nfs.store.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.KernelLocks;
import io.github.rpcrdma4j.nfs.store.KernelLocks.Kind;
import io.github.rpcrdma4j.nfs.store.KernelLocks.Lock;
import io.github.rpcrdma4j.nfs.store.Node.Changed;
import io.github.rpcrdma4j.nfs.store.Node.Content;
import io.github.rpcrdma4j.nfs.store.Node.Sought;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.Node.Written;
import io.github.rpcrdma4j.nfs.store.OptionalOperations.Place;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.io.Closeable;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The behavior of every store for ranges of data: holes, storage, copies, clones and locks. */
public abstract class RangesContract<P extends Closeable> extends AttributesContract<P> {
    private static final int MIB = 1 << 20;

    private Sought seek(FileId file, long offset, Content wanted) throws StoreException {
        return at(file, node -> node.seek(caller(), offset, wanted));
    }

    /** Returns whether a store can do what this operation does, on this file system. */
    private boolean can(FileId file, Step<?> step) throws StoreException {
        try {
            at(file, step);
            return true;
        } catch (StoreException failure) {
            assertEquals(Failure.NOTSUPP, failure.failure());
            assertFalse(has(Trait.RANGES));
            return false;
        }
    }

    private Step<Changed<Void>> allocate(long offset, long length) {
        return node -> node.allocate(caller(), offset, length, Storage.SYNC);
    }

    private Step<Changed<Void>> deallocate(long offset, long length) {
        return node -> node.deallocate(caller(), offset, length, Storage.SYNC);
    }

    private Changed<Written> copy(
            FileId from, long offset, long length, FileId to, long targetOffset)
            throws StoreException {
        return at(
                from,
                source ->
                        at(
                                to,
                                target ->
                                        source.copyRange(
                                                caller(),
                                                offset,
                                                length,
                                                new Place(target, targetOffset))));
    }

    private void writeBytes(FileId file, long offset, byte[] bytes) throws StoreException {
        var source = MemorySegment.ofArray(bytes);
        at(file, node -> node.write(caller(), offset, source, Stability.FILE_SYNC, Storage.SYNC));
    }

    /** Called by the test of a store. */
    protected RangesContract() {}

    @Test
    void dataAndTheEndAreSought() throws Exception {
        var file = create(root(), "file");
        write(file, 0, "hello");
        assertEquals(new Sought(2, false), seek(file, 2, Content.DATA));
        assertEquals(new Sought(5, true), seek(file, 2, Content.HOLE));
        for (var content : Content.values()) {
            for (long offset : new long[] {5, 6, Long.MAX_VALUE}) {
                fails(Failure.NXIO, file, node -> node.seek(caller(), offset, content));
            }
            fails(Failure.ISDIR, root(), node -> node.seek(caller(), 0, content));
        }
    }

    @Test
    void holesAreMadeAndFound() throws Exception {
        var file = create(root(), "file");
        writeBytes(file, 0, new byte[3 * MIB]);
        assumeTrue(can(file, deallocate(MIB, MIB)), "no holes are made here");
        assertEquals(3 * MIB, status(file).size());
        assertEquals(new Sought(MIB, false), seek(file, 0, Content.HOLE));
        assertEquals(new Sought(2 * MIB, false), seek(file, MIB, Content.DATA));
        assertEquals(new Sought(3 * MIB, true), seek(file, 2 * MIB, Content.HOLE));
        assertTrue(status(file).used() < 3 * MIB);
        at(file, deallocate(2 * MIB, 5 * MIB));
        assertEquals(3 * MIB, status(file).size());
        assertEquals(new Sought(3 * MIB, true), seek(file, 2 * MIB, Content.DATA));
        fails(Failure.INVAL, file, deallocate(0, 0));
        fails(Failure.ISDIR, root(), deallocate(0, 1));
        fails(Failure.FBIG, file, deallocate(Long.MAX_VALUE, 1));
    }

    @Test
    void storageIsProvidedAndTheFileGrows() throws Exception {
        var file = create(root(), "file");
        write(file, 0, "hello");
        assumeTrue(can(file, allocate(2, 2)), "no storage is provided here");
        assertEquals("hello", read(file, 0, 9));
        var before = status(file);
        var changed = at(file, allocate(0, MIB));
        assertEquals(Optional.of(before), changed.before());
        assertEquals(MIB, changed.after().orElseThrow().size());
        assertTrue(status(file).used() >= MIB);
        assertEquals("hello\0", read(file, 0, 6));
        fails(Failure.INVAL, file, allocate(0, 0));
        fails(Failure.FBIG, file, allocate(1, Long.MAX_VALUE));
    }

    @Test
    void rangesAreCopied() throws Exception {
        var from = create(root(), "from");
        var to = create(root(), "to");
        write(from, 0, "0123456789");
        write(to, 0, "abcdefghij");
        assumeTrue(
                can(
                        from,
                        source ->
                                at(
                                        to,
                                        target ->
                                                source.copyRange(
                                                        caller(), 2, 3, new Place(target, 4)))),
                "no ranges are copied here");
        assertEquals("abcd234hij", read(to, 0, 99));
        var before = status(to);
        var copied = copy(from, 8, 100, to, 12);
        assertEquals(2, copied.value().bytes());
        assertEquals(verifier.now(), copied.value().verifier());
        assertEquals(before.size(), copied.before().orElseThrow().size());
        assertEquals(14, copied.after().orElseThrow().size());
        assertEquals("abcd234hij\0\089", read(to, 0, 99));
        assertEquals(0, copy(from, 10, 1, to, 0).value().bytes());
        copy(from, 0, 3, from, 7);
        assertEquals("0123456012", read(from, 0, 99));
        var overlap = assertThrows(StoreException.class, () -> copy(from, 0, 3, from, 2));
        assertEquals(Failure.INVAL, overlap.failure());
    }

    @Test
    void oneCopyIsBounded() throws Exception {
        assumeTrue(has(Trait.RANGES), "no ranges are copied here");
        var from = create(root(), "from");
        var to = create(root(), "to");
        change(from, ofSize(64L << 20));
        int bytes = copy(from, 0, 64L << 20, to, 0).value().bytes();
        assertTrue(bytes > 0 && bytes <= 16 * MIB, () -> bytes + " bytes");
    }

    /** Goal: a clone is either made or refused for a reason that a client understands. */
    @Test
    void rangesAreClonedWhereTheFileSystemCan() throws Exception {
        var from = create(root(), "from");
        var to = create(root(), "to");
        write(from, 0, "hello");
        Optional<Failure> refused = Optional.empty();
        try {
            at(
                    from,
                    source ->
                            at(
                                    to,
                                    target ->
                                            source.cloneRange(
                                                    caller(),
                                                    0,
                                                    0,
                                                    new Place(target, 0),
                                                    Storage.SYNC)));
        } catch (StoreException failure) {
            refused = Optional.of(failure.failure());
        }
        assertTrue(refused.isEmpty() || refused.get() == Failure.NOTSUPP, refused::toString);
        assertEquals(refused.isEmpty() ? "hello" : "", read(to, 0, 9));
    }

    @Test
    void locksAreSetAndGone() throws Exception {
        var file = create(root(), "file");
        if (!has(Trait.RANGES)) {
            fails(Failure.NOTSUPP, file, node -> node.openLocks(Kind.READ));
        }
        assumeTrue(has(Trait.RANGES), "there are no locks here");
        try (var one = at(file, node -> node.openLocks(Kind.READ))) {
            for (var kind : Kind.values()) {
                assertEquals(Optional.empty(), one.set(new Lock(0, 10, kind)));
                assertEquals(Optional.empty(), one.conflict(new Lock(0, 10, Kind.WRITE)));
            }
            // Another open of the file is like another process.
            try (var other = at(file, node -> node.openLocks(Kind.READ))) {
                var held = Optional.of(new Lock(0, 10, Kind.WRITE));
                for (var kind : Kind.values()) {
                    assertEquals(held, other.set(new Lock(5, KernelLocks.TO_THE_END, kind)));
                    assertEquals(held, other.conflict(new Lock(9, 1, kind)));
                }
                assertEquals(Optional.empty(), other.set(new Lock(10, 1, Kind.WRITE)));
                one.clear(4, 6);
                assertEquals(
                        Optional.of(new Lock(0, 4, Kind.WRITE)),
                        other.conflict(new Lock(0, KernelLocks.TO_THE_END, Kind.READ)));
                assertEquals(Optional.empty(), other.set(new Lock(4, 6, Kind.WRITE)));
                assertEquals(
                        Optional.empty(), one.set(new Lock(20, KernelLocks.TO_THE_END, Kind.READ)));
                assertEquals(Optional.empty(), other.set(new Lock(Long.MAX_VALUE, 1, Kind.READ)));
                assertEquals(
                        Optional.of(new Lock(20, KernelLocks.TO_THE_END, Kind.READ)),
                        other.set(new Lock(Long.MAX_VALUE, 1, Kind.WRITE)));
                for (long beyond : new long[] {Long.MIN_VALUE, -1}) {
                    assertEquals(Optional.empty(), other.set(new Lock(beyond, 1, Kind.WRITE)));
                    other.clear(beyond, KernelLocks.TO_THE_END);
                }
            }
            assertEquals(
                    Optional.empty(), one.set(new Lock(0, KernelLocks.TO_THE_END, Kind.WRITE)));
        }
        try (var later = at(file, node -> node.openLocks(Kind.READ))) {
            assertEquals(
                    Optional.empty(), later.set(new Lock(0, KernelLocks.TO_THE_END, Kind.WRITE)));
            for (var empty : List.of(new Lock(0, 0, Kind.READ), new Lock(9, 0, Kind.WRITE))) {
                var failure = assertThrows(StoreException.class, () -> later.set(empty));
                assertEquals(Failure.INVAL, failure.failure());
            }
        }
        fails(Failure.ISDIR, root(), node -> node.openLocks(Kind.READ));
    }
}
