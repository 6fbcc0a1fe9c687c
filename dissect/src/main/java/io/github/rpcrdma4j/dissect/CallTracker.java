package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.dissect.CallReport.Answer;
import io.github.rpcrdma4j.dissect.ChunkReport.Instant;
import io.github.rpcrdma4j.dissect.ChunkReport.Kind;
import io.github.rpcrdma4j.dissect.RpcDecoder.DecodedCall;
import io.github.rpcrdma4j.dissect.RpcDecoder.DecodedReply;
import io.github.rpcrdma4j.dissect.SendDecoder.Sent;
import io.github.rpcrdma4j.rpcrdma.chunk.WriteChunkPlacements;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Alignment;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongUnaryOperator;

/**
 * Follows the calls of one side of a connection, their chunks and their answers. Not thread-safe.
 *
 * <p>Tests: {@code ConnectionsTest}.
 */
final class CallTracker {
    /** The most calls that a report lists; all are counted. */
    private static final int CALLS_MAX = 1 << 18;

    /** The most open calls; beyond it the oldest is considered lost. */
    private static final int OPEN_MAX = 1 << 14;

    /**
     * A decoded RPC message with its findings.
     *
     * @param placed whether the message was in a chunk
     */
    record Result(Optional<RpcMessage> message, boolean placed, List<Finding> findings) {}

    private final boolean reverse;
    private final RpcDecoder rpc;
    private final Map<Integer, TrackedCall> open = new LinkedHashMap<>();

    /** Answered calls whose results the requester still has to fetch. */
    private final Map<Integer, TrackedCall> exposed = new LinkedHashMap<>();

    /** The XIDs of messages other than calls that may be answered with an error. */
    private final LinkedHashSet<Integer> otherRequests = new LinkedHashSet<>();

    private final OfferedMemory own;
    private final OfferedMemory peers;
    private final CallCounts counts = new CallCounts();
    private final List<TrackedCall> calls = new ArrayList<>();
    private long callsLeftOut;
    private final Version1Document document;
    private long granted = -1;

    /**
     * Makes a tracker for the calls of one side.
     *
     * @param callbacks the programs of callbacks on the connection
     * @param own the memory of the calling side
     * @param peers the memory of the answering side
     */
    CallTracker(
            boolean reverse,
            Version1Document document,
            CallbackPrograms callbacks,
            OfferedMemory own,
            OfferedMemory peers) {
        this.reverse = reverse;
        rpc = new RpcDecoder(reverse, callbacks, document);
        this.document = document;
        this.own = own;
        this.peers = peers;
    }

    /**
     * Processes a call.
     *
     * @param inOrder whether the packets are in order, so that calls beyond the credits are a fault
     */
    Result call(Sent sent, Instant at, boolean inOrder) {
        var head = sent.head().orElseThrow();
        var call = new TrackedCall(head, sent.chunks(), reverse, at);
        var before = open.remove(call.xid());
        if (before == null && open.size() == OPEN_MAX) {
            before = open.remove(open.keySet().iterator().next());
        }
        if (before != null) {
            own.withdraw(before);
            before.release();
        }
        open.put(call.xid(), call);
        counts.called(call);
        if (calls.size() < CALLS_MAX) {
            calls.add(call);
        } else {
            callsLeftOut++;
        }
        own.offer(call, 0);
        var findings = new ArrayList<Finding>();
        if (inOrder && granted >= 0 && open.size() > granted) {
            findings.add(Rules.overCredit(open.size(), granted));
        }
        if (sent.payload().byteSize() == 0) {
            return new Result(Optional.empty(), false, findings);
        }
        var decoded = rpc.call(sent.payload(), sent.alignment(), sent.chunks(), obstacle(sent));
        findings.addAll(decoded.findings());
        take(call, decoded);
        return new Result(Optional.of(decoded.message()), false, findings);
    }

    /** Returns why an inline message cannot be judged. */
    private static Optional<String> obstacle(Sent sent) {
        if (!sent.findings().isEmpty()) {
            return Optional.of("its transport header is wrong");
        }
        return sent.head().orElseThrow().isGrouped()
                ? Optional.of("it came in several Sends")
                : Optional.empty();
    }

    /** Returns why a message in a chunk cannot be judged. */
    private static Optional<String> obstacle(long kept, long bytes) {
        return kept == bytes
                ? Optional.empty()
                : Optional.of("only the first %d of its %d bytes are there".formatted(kept, bytes));
    }

    /**
     * Decodes the RPC message in a chunk that was read completely: a call, or a reply (RFC 5666,
     * Section 5.1). There is no message if the chunk holds none.
     */
    Result messageIn(TrackedCall call, TrackedChunk chunk) {
        byte[] kept = chunk.takeKept();
        if (kept.length == 0) {
            return new Result(Optional.empty(), true, List.of());
        }
        var message = MemorySegment.ofArray(kept);
        var obstacle = obstacle(kept.length, chunk.size());
        if (chunk.kind() == Kind.REPLY_READ) {
            var reply =
                    rpc.reply(
                            message,
                            Alignment.NONE,
                            call.known(),
                            call.lists(),
                            call.returned(),
                            obstacle);
            call.answeredBy(reply.message());
            counts.judgedReply(reply.message());
            return new Result(Optional.of(reply.message()), true, reply.findings());
        }
        var decoded = rpc.call(message, Alignment.NONE, call.lists(), obstacle);
        take(call, decoded);
        return new Result(Optional.of(decoded.message()), true, decoded.findings());
    }

    private void take(TrackedCall call, DecodedCall decoded) {
        counts.judgedCall(decoded.message());
        call.decoded(decoded);
        call.message().ifPresent(counts::named);
    }

    /**
     * Processes the answer to a call: a reply or an RDMA_ERROR.
     *
     * @param trusted whether all of the connection was captured, so that a mismatch is a fault
     */
    Result answer(Sent sent, Instant at, Optional<Integer> invalidates, boolean trusted) {
        var head = sent.head().orElseThrow();
        var call = open.remove(head.xid());
        if (head.credits() != 0 && !head.hasRunningCredits()) {
            granted = Integer.toUnsignedLong(head.credits());
        }
        var findings = new ArrayList<Finding>();
        boolean fits = call == null || compare(sent, call, trusted, findings);
        Optional<RpcMessage> message = Optional.empty();
        boolean placed = false;
        if (sent.role() == SendDecoder.Role.REPLY) {
            placed = sent.payload().byteSize() == 0;
            var decoded = reply(sent, call, placed, fits);
            message = decoded.map(DecodedReply::message);
            decoded.ifPresent(reply -> findings.addAll(reply.findings()));
        }
        if (call == null) {
            if (!otherRequests.remove(head.xid()) && trusted) {
                findings.add(Rules.noSuchCall(head.form()));
            }
            return new Result(message, placed, findings);
        }
        own.withdraw(call);
        message.ifPresent(counts::judgedReply);
        invalidates
                .filter(handle -> isForeign(handle, call))
                .ifPresent(handle -> findings.add(Rules.strayInvalidation(handle)));
        call.answer(
                new Answer(
                        at,
                        head.form(),
                        head.bytes(),
                        head.credits(),
                        invalidates,
                        message,
                        sent.role() == SendDecoder.Role.REPLY
                                ? message.map(RpcMessage::notJudged)
                                        .orElse(Optional.of(TrackedCall.NOT_CAPTURED))
                                : Optional.empty()));
        call.release();
        counts.answered(call, sent.role());
        if (!sent.chunks().readList().isEmpty()) {
            expose(call, sent);
        }
        return new Result(message, placed, findings);
    }

    /**
     * Tracks the Read chunks of a reply: the requester fetches them, and then sends a done notice.
     */
    private void expose(TrackedCall call, Sent sent) {
        var before = exposed.remove(call.xid());
        if (before == null && exposed.size() == OPEN_MAX) {
            before = exposed.remove(exposed.keySet().iterator().next());
        }
        if (before != null) {
            peers.withdraw(before);
            before.release();
        }
        int first = call.chunks().size();
        call.expose(sent.chunks());
        counts.exposed(call.chunks().size() - first);
        peers.offer(call, first);
        exposed.put(call.xid(), call);
    }

    /** Records a message that is no call, but may be answered with an error. */
    void otherRequest(int xid) {
        if (otherRequests.size() == OPEN_MAX) {
            otherRequests.removeFirst();
        }
        otherRequests.add(xid);
    }

    /**
     * Processes an RDMA_DONE: the requester has fetched the Read chunks of a reply.
     *
     * @param trusted whether all of the connection was captured, so that a mismatch is a fault
     */
    List<Finding> done(int xid, Instant at, boolean trusted) {
        var call = exposed.remove(xid);
        if (call == null) {
            return trusted ? List.of(Rules.nothingExposed()) : List.of();
        }
        peers.withdraw(call);
        call.release();
        call.done(at);
        return List.of();
    }

    /** Decodes the message of a reply; empty if there is none, or none was captured. */
    private Optional<DecodedReply> reply(
            Sent sent, TrackedCall call, boolean placed, boolean fits) {
        var obstacle =
                obstacle(sent)
                        .or(
                                () ->
                                        fits
                                                ? Optional.empty()
                                                : Optional.of("its chunks are not those offered"));
        if (call == null) {
            return placed
                    ? Optional.empty()
                    : Optional.of(
                            rpc.reply(
                                    sent.payload(),
                                    sent.alignment(),
                                    Optional.empty(),
                                    ChunkLists.EMPTY,
                                    sent.chunks(),
                                    obstacle));
        }
        if (!placed) {
            // No opaque item that could be aligned precedes the results in a Write chunk.
            return Optional.of(
                    rpc.reply(
                            sent.payload(),
                            sent.alignment(),
                            call.known(),
                            call.lists(),
                            sent.chunks(),
                            obstacle));
        }
        long bytes = sent.chunks().replyChunk().map(WriteChunk::size).orElse(0L);
        return call.chunks(Kind.REPLY).stream()
                .map(TrackedChunk::takeKept)
                .filter(kept -> kept.length > 0)
                .map(
                        kept ->
                                rpc.reply(
                                        MemorySegment.ofArray(kept),
                                        Alignment.NONE,
                                        call.known(),
                                        call.lists(),
                                        sent.chunks(),
                                        obstacle.or(() -> obstacle(kept.length, bytes))))
                .findFirst();
    }

    /**
     * Compares the chunks in the reply with the offered chunks and the moved bytes.
     *
     * @return whether the chunks of the reply are those of the call
     */
    private boolean compare(Sent sent, TrackedCall call, boolean trusted, List<Finding> findings) {
        if (sent.role() != SendDecoder.Role.REPLY || sent.head().orElseThrow().isGrouped()) {
            return true;
        }
        var returned = new ArrayList<>(sent.chunks().writeList());
        var offered = new ArrayList<>(call.lists().writeList());
        var tracked = new ArrayList<>(call.chunks(Kind.WRITE));
        sent.chunks()
                .replyChunk()
                .ifPresent(
                        chunk -> {
                            returned.add(chunk);
                            call.lists().replyChunk().ifPresent(offered::add);
                            tracked.addAll(call.chunks(Kind.REPLY));
                        });
        LongUnaryOperator longest =
                document == Version1Document.RFC_5666
                        ? XdrWriter::roundUp
                        : LongUnaryOperator.identity();
        if (!WriteChunkPlacements.answers(returned, offered, longest)) {
            findings.add(Rules.wrongLengths());
            return false;
        }
        for (int i = 0; i < returned.size(); i++) {
            long bytes = returned.get(i).size();
            tracked.get(i).returned(bytes);
            long moved = tracked.get(i).moved();
            boolean fits =
                    bytes == moved
                            || document == Version1Document.RFC_5666
                                    && bytes == XdrWriter.roundUp(moved);
            if (trusted && !fits) {
                findings.add(Rules.otherCount(bytes, moved));
            }
        }
        return true;
    }

    private static boolean isForeign(int handle, TrackedCall call) {
        return call.chunks().stream()
                .flatMap(chunk -> chunk.segments().stream())
                .noneMatch(segment -> segment.handle() == handle);
    }

    List<TrackedCall> calls() {
        return calls;
    }

    /** Returns how many calls are counted, but not among {@link #calls}. */
    long callsLeftOut() {
        return callsLeftOut;
    }

    CallCounts counts() {
        return counts;
    }
}
