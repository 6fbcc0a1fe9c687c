package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.dissect.CallReport.Answer;
import io.github.rpcrdma4j.dissect.ChunkReport.Instant;
import io.github.rpcrdma4j.dissect.ChunkReport.Kind;
import io.github.rpcrdma4j.dissect.Layer.ChunkUse;
import io.github.rpcrdma4j.dissect.SendDecoder.Sent;
import io.github.rpcrdma4j.dissect.TrackedChunk.Moving;
import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.rdmap.ReadRequest;
import io.github.rpcrdma4j.rpcrdma.chunk.WriteChunkPlacements;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Follows the calls that one side of a connection makes: their chunks, the RDMA operations of the
 * other side on them, and the answers. Not thread-safe.
 */
final class CallTracker {
    /** Calls that a report lists; all are counted. */
    private static final int CALLS_MAX = 1 << 18;

    /** Calls that may be open; beyond it the oldest is taken for lost. */
    private static final int OPEN_MAX = 1 << 14;

    /** Read Requests that may be open; the others are not tied to their answers. */
    private static final int READS_MAX = 1 << 10;

    /** A segment that an open call offers. */
    private record Offer(TrackedCall call, int chunk, int segment) {
        private TrackedChunk tracked() {
            return call.chunks().get(chunk);
        }

        private ChunkUse use() {
            return new ChunkUse(call.xid(), tracked().kind(), chunk, segment);
        }
    }

    /** A Read Request whose octets are still coming. */
    private record OpenRead(ReadRequest request, Moving moving, Offer offer, long[] received) {}

    /** An RDMA Write whose last segment has not come. */
    private record OpenWrite(int stag, Moving moving, Offer offer) {}

    /**
     * What a frame was for.
     *
     * @param message the call, if it lay in a chunk and is whole now
     */
    record Moved(Optional<ChunkUse> use, Optional<RpcMessage> message, Optional<Finding> finding) {
        static final Moved NOTHING =
                new Moved(Optional.empty(), Optional.empty(), Optional.empty());

        private static Moved stray(String operation) {
            return new Moved(
                    Optional.empty(), Optional.empty(), Optional.of(Rules.strayAccess(operation)));
        }

        private static Moved of(Offer offer) {
            return new Moved(Optional.of(offer.use()), Optional.empty(), Optional.empty());
        }
    }

    /** An RPC message, and what is wrong about it. */
    record Taken(Optional<RpcMessage> message, boolean placed, List<Finding> findings) {}

    private final boolean reverse;
    private final RpcDecoder rpc = new RpcDecoder();
    private final Map<Integer, TrackedCall> open = new LinkedHashMap<>();
    private final Map<Integer, List<Offer>> offers = new HashMap<>();
    private final ArrayDeque<OpenRead> reads = new ArrayDeque<>();
    private final CallCounts counts = new CallCounts();
    private final List<TrackedCall> calls = new ArrayList<>();
    private long callsLeftOut;
    private OpenWrite write;
    private long granted = -1;

    CallTracker(boolean reverse) {
        this.reverse = reverse;
    }

    /** Takes a call. */
    Taken call(Sent sent, Instant at, long octets) {
        var header = sent.header().orElseThrow();
        var call = new TrackedCall(header, sent.chunks(), reverse, at, octets);
        var before = open.remove(call.xid());
        if (before == null && open.size() == OPEN_MAX) {
            before = open.remove(open.keySet().iterator().next());
        }
        if (before != null) {
            withdraw(before);
        }
        open.put(call.xid(), call);
        counts.called(call);
        if (calls.size() < CALLS_MAX) {
            calls.add(call);
        } else {
            callsLeftOut++;
        }
        offer(call);
        var findings = new ArrayList<Finding>();
        if (granted >= 0 && open.size() > granted) {
            findings.add(Rules.overCredit(open.size(), granted));
        }
        if (sent.payload().byteSize() == 0) {
            return new Taken(Optional.empty(), false, findings);
        }
        var decoded =
                rpc.call(
                        sent.payload(),
                        SendDecoder.items(sent.chunks()),
                        sent.findings().isEmpty());
        decoded.finding().ifPresent(findings::add);
        name(call, decoded.message());
        return new Taken(Optional.of(decoded.message()), false, findings);
    }

    private void offer(TrackedCall call) {
        for (int chunk = 0; chunk < call.chunks().size(); chunk++) {
            var segments = call.chunks().get(chunk).segments();
            for (int i = 0; i < segments.size(); i++) {
                offers.computeIfAbsent(segments.get(i).handle(), _ -> new ArrayList<>(1))
                        .add(new Offer(call, chunk, i));
            }
        }
    }

    private void withdraw(TrackedCall call) {
        for (var chunk : call.chunks()) {
            for (var segment : chunk.segments()) {
                var known = offers.get(segment.handle());
                if (known != null && known.removeIf(each -> each.call() == call)) {
                    offers.remove(segment.handle(), List.of());
                }
            }
        }
    }

    private Offer find(int handle, long offset, long length, boolean written) {
        for (var offer : offers.getOrDefault(handle, List.of()).reversed()) {
            var segment = offer.tracked().segments().get(offer.segment());
            long into = offset - segment.offset();
            boolean isTarget =
                    switch (offer.tracked().kind()) {
                        case READ, POSITION_ZERO_READ -> false;
                        case WRITE, REPLY -> true;
                    };
            if (isTarget == written && into >= 0 && into + length <= segment.size()) {
                return offer;
            }
        }
        return null;
    }

    /** The other side asks for octets of this side's memory. */
    Moved readRequest(ReadRequest request, Instant at) {
        long size = Integer.toUnsignedLong(request.size());
        if (size == 0) {
            return Moved.NOTHING;
        }
        var offer = find(request.sourceStag(), request.sourceOffset(), size, false);
        if (offer == null) {
            return Moved.stray("an RDMA Read");
        }
        if (reads.size() < READS_MAX) {
            var moving = offer.tracked().read(offer.segment(), request.sourceOffset(), size, at);
            reads.addLast(new OpenRead(request, moving, offer, new long[1]));
        }
        return Moved.of(offer);
    }

    /** This side answers a Read Request. */
    Moved readResponse(DdpSegment.Tagged header, ByteBuffer payload, Instant at) {
        for (var read : reads) {
            var request = read.request();
            if (request.sinkStag() == header.stag()
                    && request.sinkOffset() + read.received()[0] == header.offset()) {
                read.received()[0] += payload.remaining();
                read.moving().add(payload, header.isLast(), at);
                if (!header.isLast()) {
                    return Moved.of(read.offer());
                }
                reads.remove(read);
                return new Moved(
                        Optional.of(read.offer().use()), placedCall(read), Optional.empty());
            }
        }
        return Moved.NOTHING;
    }

    /** The call in a Position-Zero Read chunk, with the frame that completes it. */
    private Optional<RpcMessage> placedCall(OpenRead read) {
        var chunk = read.offer().tracked();
        if (chunk.kind() != Kind.POSITION_ZERO_READ
                || chunk.moved() < chunk.size()
                || !chunk.isEveryTransferWhole()) {
            return Optional.empty();
        }
        var call = read.offer().call();
        byte[] kept = chunk.kept();
        var decoded =
                rpc.call(
                        MemorySegment.ofArray(kept),
                        SendDecoder.items(call.lists()),
                        kept.length == chunk.size());
        name(call, decoded.message());
        return Optional.of(decoded.message());
    }

    private void name(TrackedCall call, RpcMessage message) {
        if (message instanceof RpcMessage.Call known) {
            call.message(known);
            counts.named(known);
        }
    }

    /** The other side writes to this side's memory. */
    Moved written(DdpSegment.Tagged header, ByteBuffer payload, Instant at) {
        if (payload.remaining() == 0 && write == null) {
            // Of no octets: such Writes only say that somebody is there.
            return Moved.NOTHING;
        }
        if (write == null
                || write.stag() != header.stag()
                || write.moving().next() != header.offset()) {
            var offer = find(header.stag(), header.offset(), payload.remaining(), true);
            if (offer == null) {
                write = null;
                return Moved.stray("an RDMA Write");
            }
            var moving = offer.tracked().write(offer.segment(), header.offset(), at);
            write = new OpenWrite(header.stag(), moving, offer);
        }
        var offer = write.offer();
        write.moving().add(payload, header.isLast(), at);
        if (header.isLast()) {
            write = null;
        }
        return Moved.of(offer);
    }

    /**
     * Takes the answer to a call: a reply or an RDMA_ERROR.
     *
     * @param trusted whether nothing of the connection is missing, so that what does not fit is
     *     wrong
     */
    Taken answer(
            Sent sent, Instant at, long octets, Optional<Integer> invalidates, boolean trusted) {
        var header = sent.header().orElseThrow();
        var call = open.remove(header.xid());
        if (header.credits() > 0) {
            granted = header.credits();
        }
        var findings = new ArrayList<Finding>();
        Optional<RpcMessage> message = Optional.empty();
        boolean placed = false;
        if (sent.role() == SendDecoder.Role.REPLY) {
            placed = sent.payload().byteSize() == 0;
            message = reply(sent, call, placed);
        }
        if (call == null) {
            if (trusted) {
                findings.add(Rules.noSuchCall(sent.form()));
            }
            return new Taken(message, placed, findings);
        }
        withdraw(call);
        compare(sent, call, trusted, findings);
        invalidates
                .filter(handle -> isForeign(handle, call))
                .ifPresent(handle -> findings.add(Rules.strayInvalidation(handle)));
        call.answer(new Answer(at, sent.form(), octets, header.credits(), invalidates, message));
        counts.answered(call, sent.role());
        return new Taken(message, placed, findings);
    }

    private Optional<RpcMessage> reply(Sent sent, TrackedCall call, boolean placed) {
        var known = call == null ? Optional.<RpcMessage.Call>empty() : call.message();
        if (!placed) {
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

    /** Holds what the reply says of its chunks against what was offered, and what was moved. */
    private static void compare(
            Sent sent, TrackedCall call, boolean trusted, List<Finding> findings) {
        if (sent.role() != SendDecoder.Role.REPLY) {
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
            long octets = returned.get(i).size();
            tracked.get(i).returned(octets);
            if (trusted && octets != tracked.get(i).moved()) {
                findings.add(Rules.otherCount(octets, tracked.get(i).moved()));
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

    /** Calls that are counted, and not among {@link #calls}. */
    long callsLeftOut() {
        return callsLeftOut;
    }

    CallCounts counts() {
        return counts;
    }
}
