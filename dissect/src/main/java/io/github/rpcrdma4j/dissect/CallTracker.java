package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.dissect.CallReport.Answer;
import io.github.rpcrdma4j.dissect.ChunkReport.Instant;
import io.github.rpcrdma4j.dissect.ChunkReport.Kind;
import io.github.rpcrdma4j.dissect.RpcDecoder.KnownCall;
import io.github.rpcrdma4j.dissect.SendDecoder.Sent;
import io.github.rpcrdma4j.rpcrdma.chunk.ReadChunk;
import io.github.rpcrdma4j.rpcrdma.chunk.WriteChunkPlacements;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Alignment;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Follows the calls of one side of a connection, their chunks and their answers. Not thread-safe.
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
        rpc = new RpcDecoder(reverse, callbacks);
        this.document = document;
        this.own = own;
        this.peers = peers;
    }

    /** Processes a call. */
    Result call(Sent sent, Instant at) {
        var head = sent.head().orElseThrow();
        var call = new TrackedCall(head, sent.chunks(), reverse, at);
        var before = open.remove(call.xid());
        if (before == null && open.size() == OPEN_MAX) {
            before = open.remove(open.keySet().iterator().next());
        }
        if (before != null) {
            own.withdraw(before);
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
        if (granted >= 0 && open.size() > granted) {
            findings.add(Rules.overCredit(open.size(), granted));
        }
        if (sent.payload().byteSize() == 0) {
            return new Result(Optional.empty(), false, findings);
        }
        var decoded =
                rpc.call(
                        sent.payload(),
                        sent.alignment(),
                        SendDecoder.items(sent.chunks()),
                        sent.findings().isEmpty() && !head.isGrouped());
        decoded.finding().ifPresent(findings::add);
        decoded.known().ifPresent(known -> name(call, known));
        return new Result(Optional.of(decoded.message()), false, findings);
    }

    /**
     * Returns the RPC message in a chunk that was read completely: a call, or a reply (RFC 5666,
     * Section 5.1). Empty if the chunk holds no message.
     */
    Optional<RpcMessage> messageIn(TrackedCall call, TrackedChunk chunk) {
        byte[] kept = chunk.kept();
        if (kept.length == 0) {
            return Optional.empty();
        }
        if (chunk.kind() == Kind.REPLY_READ) {
            var reply = rpc.reply(MemorySegment.ofArray(kept), call.known());
            call.answeredBy(reply);
            return Optional.of(reply);
        }
        var decoded =
                rpc.call(
                        MemorySegment.ofArray(kept),
                        Alignment.NONE,
                        SendDecoder.items(call.lists()),
                        kept.length == chunk.size());
        decoded.known().ifPresent(known -> name(call, known));
        return Optional.of(decoded.message());
    }

    private void name(TrackedCall call, KnownCall known) {
        call.known(known);
        counts.named(known.message());
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
        Optional<RpcMessage> message = Optional.empty();
        boolean placed = false;
        if (sent.role() == SendDecoder.Role.REPLY) {
            placed = sent.payload().byteSize() == 0;
            message = reply(sent, call, placed);
        }
        if (call == null) {
            if (!otherRequests.remove(head.xid()) && trusted) {
                findings.add(Rules.noSuchCall(head.form()));
            }
            return new Result(message, placed, findings);
        }
        own.withdraw(call);
        compare(sent, call, trusted, findings);
        invalidates
                .filter(handle -> isForeign(handle, call))
                .ifPresent(handle -> findings.add(Rules.strayInvalidation(handle)));
        call.answer(
                new Answer(at, head.form(), head.bytes(), head.credits(), invalidates, message));
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
        }
        int first = call.chunks().size();
        call.expose(ReadChunk.of(sent.chunks().readList()));
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
        call.done(at);
        return List.of();
    }

    private Optional<RpcMessage> reply(Sent sent, TrackedCall call, boolean placed) {
        var known = call == null ? Optional.<KnownCall>empty() : call.known();
        if (!placed) {
            // No opaque item that could be aligned precedes the decoded fields.
            return Optional.of(rpc.reply(sent.payload(), known));
        }
        if (call == null) {
            return Optional.empty();
        }
        return call.chunks(Kind.REPLY).stream()
                .map(TrackedChunk::kept)
                .filter(kept -> kept.length > 0)
                .map(kept -> rpc.reply(MemorySegment.ofArray(kept), known))
                .findFirst();
    }

    /** Compares the chunks in the reply with the offered chunks and the moved bytes. */
    private void compare(Sent sent, TrackedCall call, boolean trusted, List<Finding> findings) {
        if (sent.role() != SendDecoder.Role.REPLY || sent.head().orElseThrow().isGrouped()) {
            return;
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
        if (!WriteChunkPlacements.answers(returned, offered)) {
            findings.add(Rules.wrongLengths());
            return;
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
