package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.dissect.SendDecoder.Role;
import io.github.rpcrdma4j.dissect.Totals.Procedure;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Counts calls and their outcomes. Not thread-safe. */
final class CallCounts {
    /**
     * The most procedure names that are counted separately, as peers can send any program number.
     */
    private static final int NAMES_MAX = 1 << 12;

    private static final String OTHERS = "others";

    private static final class Times {
        private long calls;
        private long answered;
        private long totalNanos;
        private long maxNanos;
    }

    private final Map<String, Times> procedures = new TreeMap<>();
    private long calls;
    private long replies;
    private long errors;
    private long unanswered;
    private long readChunks;
    private long writeChunks;
    private long replyChunks;
    private long replyReadChunks;
    private long judgedCalls;
    private long judgedReplies;

    void called(TrackedCall call) {
        calls++;
        unanswered++;
        for (var chunk : call.chunks()) {
            switch (chunk.kind()) {
                case READ, POSITION_ZERO_READ -> readChunks++;
                case WRITE -> writeChunks++;
                case REPLY -> replyChunks++;
                case REPLY_READ -> throw new AssertionError("a call has none");
            }
        }
    }

    /** Counts the Read chunks of a reply. */
    void exposed(long chunks) {
        replyReadChunks += chunks;
    }

    void judgedCall(RpcMessage call) {
        judgedCalls += call.notJudged().isEmpty() ? 1 : 0;
    }

    void judgedReply(RpcMessage reply) {
        judgedReplies += reply.notJudged().isEmpty() ? 1 : 0;
    }

    /** Counts a call under its procedure, once that is known. */
    void named(RpcMessage.Call call) {
        times(call).calls++;
    }

    private Times times(RpcMessage.Call call) {
        var name =
                procedures.size() < NAMES_MAX || procedures.containsKey(call.name())
                        ? call.name()
                        : OTHERS;
        return procedures.computeIfAbsent(name, _ -> new Times());
    }

    void answered(TrackedCall call, Role role) {
        unanswered--;
        if (role == Role.REPLY) {
            replies++;
        } else {
            errors++;
        }
        call.message()
                .ifPresent(
                        message -> {
                            var times = times(message);
                            times.answered++;
                            times.totalNanos += call.nanos();
                            times.maxNanos = Math.max(times.maxNanos, call.nanos());
                        });
    }

    /** Returns the totals of a connection: the calls of both sides and the counts of frames. */
    static Totals totals(FrameCounts frames, CallCounts one, CallCounts other) {
        return new Totals(
                frames.fpdus,
                frames.sends,
                frames.reads,
                frames.readBytes,
                frames.writes,
                frames.writeBytes,
                frames.terminates,
                frames.bytesMissing,
                one.calls + other.calls,
                one.replies + other.replies,
                one.errors + other.errors,
                one.unanswered + other.unanswered,
                one.readChunks + other.readChunks,
                one.writeChunks + other.writeChunks,
                one.replyChunks + other.replyChunks,
                one.replyReadChunks + other.replyReadChunks,
                one.calls + other.calls - one.judgedCalls - other.judgedCalls,
                one.replies + other.replies - one.judgedReplies - other.judgedReplies,
                frames.findings,
                procedures(one, other));
    }

    private static List<Procedure> procedures(CallCounts one, CallCounts other) {
        var sums = new TreeMap<String, Procedure>();
        for (var counts : List.of(one, other)) {
            counts.procedures.forEach(
                    (name, times) ->
                            sums.merge(
                                    name,
                                    new Procedure(
                                            name,
                                            times.calls,
                                            times.answered,
                                            times.totalNanos,
                                            times.maxNanos),
                                    CallCounts::sum));
        }
        return List.copyOf(sums.values());
    }

    private static Procedure sum(Procedure one, Procedure other) {
        return new Procedure(
                one.name(),
                one.calls() + other.calls(),
                one.answered() + other.answered(),
                one.totalNanos() + other.totalNanos(),
                Math.max(one.maxNanos(), other.maxNanos()));
    }
}
