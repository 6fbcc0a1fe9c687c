package io.github.rpcrdma4j.cli.hostile.v4;

import static io.github.rpcrdma4j.cli.hostile.TrialCommand.CAT;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.CP;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.CP_TREE;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.GET;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.GET_ARCHIVE;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.GET_TREE;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.PUT;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.PUT_TREE;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.SYNC_DOWN;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.SYNC_UP;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.CopyResult;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.DataResult;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Lies about the bytes of files. */
final class DataLies {
    private DataLies() {}

    static OpaqueName name(int bytes) {
        return OpaqueName.of(new byte[bytes]);
    }

    static List<CompoundLie> all() {
        return List.of(
                CompoundLie.of("read-more", read(each -> data(each, each.byteSize() + 100)), GET),
                CompoundLie.of("read-64-mib", read(each -> data(each, 64 << 20)), GET, CAT),
                CompoundLie.harmless(
                        "read-fewer",
                        each(false, each -> each.asSlice(0, Math.max(1, each.byteSize() / 2))),
                        GET,
                        GET_TREE),
                CompoundLie.of(
                        "read-1",
                        each(false, each -> each.asSlice(0, Math.min(1, each.byteSize())))),
                CompoundLie.of("read-nothing", each(false, each -> each.asSlice(0, 0)), GET, CAT),
                CompoundLie.of("read-end", each(true, each -> each.asSlice(0, 0)), GET, SYNC_DOWN),
                CompoundLie.of(
                        "read-end-early",
                        each(true, each -> each.asSlice(0, each.byteSize() / 2)),
                        GET,
                        GET_TREE),
                CompoundLie.of("read-end-never", each(false, each -> each), GET, CAT),
                CompoundLie.of("write-0", write(0), PUT, PUT_TREE),
                CompoundLie.of("write-2-32-1", write(-1), PUT, PUT_TREE),
                CompoundLie.of("write-1-more", writeMore(), PUT, PUT_TREE),
                CompoundLie.of("write-verifiers", verifiers(), PUT, PUT_TREE),
                CompoundLie.of("commit-verifiers", commits(), PUT, PUT_TREE, SYNC_UP),
                CompoundLie.of("copy-0", copy(_ -> 0L, true, Optional.empty()), CP, CP_TREE),
                CompoundLie.of("copy-more", copy(each -> each + 1, true, Optional.empty()), CP),
                CompoundLie.of("copy-2-64-1", copy(_ -> -1L, true, Optional.empty()), CP),
                CompoundLie.of("copy-gaps", copy(each -> each, false, Optional.empty()), CP),
                CompoundLie.of(
                        "copy-later",
                        copy(each -> each, true, Optional.of(new StateId(1, 5, 6))),
                        CP),
                CompoundLie.of("copy-verifiers", copyVerifiers(), CP, CP_TREE),
                CompoundLie.of("seek-0", seek(_ -> 0L, false), GET_ARCHIVE, CP_TREE),
                CompoundLie.of("seek-stays", stays(), GET_ARCHIVE),
                CompoundLie.of("seek-back", seek(each -> each - 1, false), GET_ARCHIVE),
                CompoundLie.of("seek-2-63", seek(_ -> Long.MIN_VALUE, false), GET_ARCHIVE),
                CompoundLie.of("seek-2-63-1", seek(_ -> Long.MAX_VALUE, false), GET_ARCHIVE),
                CompoundLie.of("seek-by-1", steps(), GET_ARCHIVE));
    }

    private static Supplier<Lying> read(UnaryOperator<MemorySegment> change) {
        return Lies.each(
                DataResult.Read.class,
                each ->
                        new DataResult.Read(
                                each.isEndOfFile(), change.apply(each.data()), () -> {}));
    }

    private static Supplier<Lying> each(boolean isEnd, UnaryOperator<MemorySegment> change) {
        return Lies.each(
                DataResult.Read.class,
                each -> new DataResult.Read(isEnd, change.apply(each.data()), () -> {}));
    }

    private static MemorySegment data(MemorySegment honest, long bytes) {
        var more = MemorySegment.ofArray(new byte[(int) bytes]);
        MemorySegment.copy(honest, 0, more, 0, Math.min(bytes, honest.byteSize()));
        return more;
    }

    /** Nothing is written, but a file is made. */
    private static Supplier<Lying> write(int count) {
        return Lies.each(
                DataResult.Write.class,
                each -> new DataResult.Write(count, each.committed(), each.verifier()));
    }

    private static Supplier<Lying> writeMore() {
        return Lies.each(
                DataResult.Write.class,
                each -> new DataResult.Write(each.count() + 1, each.committed(), each.verifier()));
    }

    private static Supplier<Lying> verifiers() {
        return () -> {
            var next = new AtomicLong();
            return asked ->
                    asked.honestly()
                            .with(
                                    DataResult.Write.class,
                                    each ->
                                            new DataResult.Write(
                                                    ((DataResult.Write) each).count(),
                                                    Stability.UNSTABLE,
                                                    next.incrementAndGet()));
        };
    }

    private static Supplier<Lying> commits() {
        return () -> {
            var next = new AtomicLong();
            return asked ->
                    asked.honestly()
                            .with(
                                    DataResult.Write.class,
                                    each ->
                                            new DataResult.Write(
                                                    ((DataResult.Write) each).count(),
                                                    Stability.UNSTABLE,
                                                    0))
                            .with(
                                    DataResult.Commit.class,
                                    _ -> new DataResult.Commit(next.incrementAndGet()));
        };
    }

    /** CLONE is refused, so that the client copies. */
    private static Supplier<Lying> copies(UnaryOperator<CopyResult.Copy> change) {
        return () ->
                asked ->
                        asked.honestly()
                                .failingAt(Opcode.CLONE, Nfs4Status.NOTSUPP.number())
                                .with(
                                        CopyResult.Copy.class,
                                        each -> change.apply((CopyResult.Copy) each));
    }

    private static Supplier<Lying> copy(
            UnaryOperator<Long> count, boolean isConsecutive, Optional<StateId> callback) {
        return copies(
                each ->
                        new CopyResult.Copy(
                                callback,
                                count.apply(each.count()),
                                each.committed(),
                                each.verifier(),
                                isConsecutive,
                                callback.isEmpty()));
    }

    private static Supplier<Lying> copyVerifiers() {
        var next = new AtomicLong();
        return copies(
                each ->
                        new CopyResult.Copy(
                                each.callbackId(),
                                each.count(),
                                Stability.UNSTABLE,
                                next.incrementAndGet(),
                                true,
                                true));
    }

    private static Supplier<Lying> seek(UnaryOperator<Long> offset, boolean isEnd) {
        return Lies.each(
                DataResult.Seek.class,
                each -> new DataResult.Seek(isEnd, offset.apply(each.offset())));
    }

    /** Finds what is asked for at once, wherever that is. */
    private static Supplier<Lying> stays() {
        return found(0);
    }

    private static Supplier<Lying> steps() {
        return found(1);
    }

    private static Supplier<Lying> found(long further) {
        return () ->
                asked -> {
                    var seek = asked.first(DataArguments.Seek.class);
                    var honest = asked.honestly();
                    return seek.isEmpty()
                            ? honest
                            : honest.with(
                                    DataResult.Seek.class,
                                    _ -> new DataResult.Seek(false, seek.get().offset() + further));
                };
    }
}
