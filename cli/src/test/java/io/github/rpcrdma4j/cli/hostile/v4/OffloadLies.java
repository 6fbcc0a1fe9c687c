package io.github.rpcrdma4j.cli.hostile.v4;

import static io.github.rpcrdma4j.cli.hostile.TrialCommand.CP;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.CP_TREE;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments.Offload;
import io.github.rpcrdma4j.nfs.v4.operation.CopyArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CopyResult;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.xdr.XdrException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Lies about copies that are said to go on after the reply. */
final class OffloadLies {
    private static final StateId COPY = new StateId(1, 5, 6);
    private static final StateId OTHER = new StateId(1, 5, 7);
    private static final int CALLBACK_SLOT = 0;

    private OffloadLies() {}

    static List<CompoundLie> all() {
        return List.of(
                CompoundLie.harmless("offload", told(each -> ended(Nfs4Status.OK, each)), CP),
                CompoundLie.of("offload-for-ever", told(_ -> going(0)), CP),
                CompoundLie.of("offload-all-for-ever", told(OffloadLies::going), CP),
                CompoundLie.of("offload-going-2-64-1", told(_ -> going(-1)), CP),
                CompoundLie.of("offload-goes-back", goesBack(), CP),
                CompoundLie.of("offload-0", told(_ -> ended(Nfs4Status.OK, 0)), CP),
                CompoundLie.of("offload-2-64-1", told(_ -> ended(Nfs4Status.OK, -1)), CP),
                CompoundLie.of("offload-1-more", told(n -> ended(Nfs4Status.OK, n + 1)), CP),
                CompoundLie.of("offload-half", told(n -> ended(Nfs4Status.OK, n / 2)), CP),
                CompoundLie.of("offload-fails", told(_ -> ended(Nfs4Status.IO, 0)), CP),
                CompoundLie.of("offload-fails-late", told(n -> ended(Nfs4Status.IO, n / 2)), CP),
                CompoundLie.of("offload-delays", told(_ -> ended(Nfs4Status.DELAY, 0)), CP),
                CompoundLie.of("offload-unknown", unknown(), CP),
                CompoundLie.of("offload-refused", refused(Nfs4Status.NOTSUPP), CP),
                CompoundLie.of("offload-expired", refused(Nfs4Status.EXPIRED), CP),
                CompoundLie.of("offload-delayed", refused(Nfs4Status.DELAY), CP),
                CompoundLie.of("offload-moved", refused(Nfs4Status.MOVED), CP),
                CompoundLie.of("offload-of-session", refused(Nfs4Status.BADSESSION), CP),
                CompoundLie.harmless("offload-called", called(COPY, each -> copied(each)), CP),
                CompoundLie.of("offload-called-0", called(COPY, _ -> copied(0)), CP, CP_TREE),
                CompoundLie.of("offload-called-2-64-1", called(COPY, _ -> copied(-1)), CP),
                CompoundLie.of("offload-called-1-more", called(COPY, n -> copied(n + 1)), CP),
                CompoundLie.of(
                        "offload-called-failed",
                        called(COPY, n -> new Offload.Failed(Nfs4Status.NOSPC, n / 2)),
                        CP),
                CompoundLie.of(
                        "offload-called-failed-2-64-1",
                        called(COPY, _ -> new Offload.Failed(Nfs4Status.NOSPC, -1)),
                        CP),
                CompoundLie.of("offload-called-other", called(OTHER, each -> copied(each)), CP));
    }

    private static CopyResult.OffloadStatus going(long count) {
        return new CopyResult.OffloadStatus(count, Optional.empty());
    }

    private static CopyResult.OffloadStatus ended(Nfs4Status status, long count) {
        return new CopyResult.OffloadStatus(count, Optional.of(status));
    }

    private static Offload.End copied(long count) {
        return new Offload.Copied(Optional.empty(), count, Stability.FILE_SYNC, 0);
    }

    /** Copies while COPY is answered, and says that it goes on. The source was copied whole. */
    private static final class Copying implements Lying {
        private final AtomicLong copied = new AtomicLong();
        private final UnaryOperator<Told> status;
        private final Lying replied;

        /**
         * @param status changes the answer to OFFLOAD_STATUS, which is that no such copy is known
         * @param replied is told of each call with COPY, before its reply
         */
        Copying(UnaryOperator<Told> status, Lying replied) {
            this.status = status;
            this.replied = replied;
        }

        long copied() {
            return copied.get();
        }

        @Override
        public Told tell(Asked asked) throws XdrException, InterruptedException {
            if (asked.has(Opcode.OFFLOAD_STATUS)) {
                return status.apply(asked.honestly());
            }
            var honest =
                    asked.honestly()
                            .failingAt(Opcode.CLONE, Nfs4Status.NOTSUPP.number())
                            .with(CopyResult.Copy.class, each -> later((CopyResult.Copy) each));
            if (asked.first(CopyArguments.Copy.class).isPresent()) {
                replied.tell(asked);
            }
            return honest;
        }

        private CopyResult later(CopyResult.Copy copy) {
            copied.set(copy.count());
            return new CopyResult.Copy(
                    Optional.of(COPY), 0, copy.committed(), copy.verifier(), true, false);
        }
    }

    private static final Lying SILENT = asked -> new Told(0, List.of());

    /** Tells a state of the copy, which depends on what was copied. */
    private static Supplier<Lying> told(LongFunction<CopyResult.OffloadStatus> state) {
        return () -> {
            var copying = new Copying[1];
            copying[0] =
                    new Copying(
                            honest ->
                                    honest.answering(
                                            Told.Part.of(state.apply(copying[0].copied()))),
                            SILENT);
            return copying[0];
        };
    }

    private static Supplier<Lying> goesBack() {
        return () -> {
            var left = new AtomicLong(1000);
            return new Copying(
                    honest -> honest.answering(Told.Part.of(going(left.decrementAndGet()))),
                    SILENT);
        };
    }

    private static Supplier<Lying> unknown() {
        return () ->
                new Copying(
                        honest ->
                                honest.answering(
                                        Told.Part.of(
                                                Opcode.OFFLOAD_STATUS,
                                                out ->
                                                        out.uint64(0)
                                                                .uint32(1)
                                                                .uint32(Lies.UNKNOWN_STATUS))),
                        SILENT);
    }

    private static Supplier<Lying> refused(Nfs4Status status) {
        return () ->
                new Copying(
                        honest -> honest.failingAt(Opcode.OFFLOAD_STATUS, status.number()), SILENT);
    }

    /** Calls the client about a copy, before COPY is answered or soon after. */
    private static Supplier<Lying> called(StateId copy, LongFunction<Offload.End> end) {
        return () -> {
            var sequence = new AtomicLong();
            var copying = new Copying[1];
            copying[0] =
                    new Copying(
                            honest -> honest.answering(Told.Part.of(going(0))),
                            asked -> {
                                var session =
                                        asked.first(SessionArguments.Sequence.class)
                                                .orElseThrow()
                                                .session();
                                CallbackArguments call =
                                        new Offload(
                                                CallbackLies.FILE,
                                                copy,
                                                end.apply(copying[0].copied()));
                                int number = (int) sequence.incrementAndGet();
                                asked.request()
                                        .reverse()
                                        .ifPresent(
                                                reverse ->
                                                        CallbackLies.once(
                                                                reverse,
                                                                session,
                                                                CALLBACK_SLOT,
                                                                number,
                                                                call));
                                return new Told(0, List.of());
                            });
            return copying[0];
        };
    }
}
