package io.github.rpcrdma4j.rpcrdma.v2.requester;

import io.github.rpcrdma4j.rpcrdma.v2.transmission.BufferLayout;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.SendPlan;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitRequest;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitResponse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem.Location;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet.Target;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.PayloadStream;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The layout of a request as an XMTREQ: how its arguments and results travel.
 *
 * <p>Tests: {@code RequestsByHandTest}.
 *
 * @param moved the arguments that are not in the payload
 * @param arguments how these arguments travel
 * @param results how bulk results are to travel
 * @param hasReplyChunk whether the request offers a Reply chunk
 * @param segmentMax the longest segment to offer, in bytes
 */
record RequestMessage(
        DeferredCall call,
        BitSet moved,
        ItemTransfer arguments,
        ItemTransfer results,
        boolean hasReplyChunk,
        long segmentMax) {
    /** A method by which bulk data travels. */
    enum ItemTransfer {
        /** In the payload. */
        INLINE,
        /** In the receives of the peer. */
        PLACED,
        /** By RDMA Read or Write. */
        EXPLICIT
    }

    /** The header of a response of several Sends without items, in bytes. */
    static final long RESPONSE_HEADER_BYTES = responseHeader(List.of());

    private static final Segment ANY = new Segment(0, 0, 0);

    PayloadStream payload() {
        return call.without(moved);
    }

    /** Returns the arguments that are moved. */
    List<BulkItem> items() {
        return moved.stream().mapToObj(call.items()::get).toList();
    }

    /** Returns the lengths of the arguments that are moved, in bytes. */
    List<Long> lengths() {
        return items().stream().map(item -> item.data().byteSize()).toList();
    }

    /**
     * Returns the length of the header of the first Send, in bytes.
     *
     * @param counts the number of segment numbers of each placed argument
     */
    long headerLength(List<Integer> counts) {
        var next = counts.iterator();
        var header =
                header(
                        0,
                        0,
                        item ->
                                arguments == ItemTransfer.PLACED
                                        ? new Location.Numbered(
                                                0, Collections.nCopies(next.next(), 0L))
                                        : new Location.Explicit(segments(item.data())),
                        this::segments,
                        segments(call.callPlan().replyChunkBytes()),
                        1,
                        1,
                        0);
        return Version2HeaderCodec.encodedLength(header);
    }

    private List<Segment> segments(MemorySegment memory) {
        return segments(memory.byteSize());
    }

    private List<Segment> segments(long length) {
        int count = (int) Math.max(1, Math.ceilDiv(length, segmentMax));
        return Collections.nCopies(count, ANY);
    }

    /**
     * Returns the header of the first Send, and registers the memory that moves by RDMA.
     *
     * @param responseSends the most Sends of the response
     */
    Version2Header.Option first(int xid, int credits, SendPlan plan, int responseSends) {
        var numbers = plan.numbers().iterator();
        return header(
                xid,
                credits,
                item ->
                        arguments == ItemTransfer.PLACED
                                ? new Location.Numbered(0, numbers.next())
                                : new Location.Explicit(
                                        call.exposed().expose(item.data(), Access.REMOTE_READ)),
                memory -> call.exposed().expose(memory, Access.REMOTE_WRITE),
                hasReplyChunk
                        ? call.exposed().expose(call.replyChunk(), Access.REMOTE_WRITE)
                        : List.of(),
                plan.transmissions().size(),
                responseSends,
                plan.transmissions().getFirst().payloadLength());
    }

    private Version2Header.Option header(
            int xid,
            int credits,
            Function<BulkItem, Location> locations,
            Function<MemorySegment, List<Segment>> memory,
            List<Segment> replyChunk,
            int count,
            int responseSends,
            long payload) {
        var items = new ArrayList<PlacementItem>();
        for (var item : items()) {
            items.add(
                    new PlacementItem(
                            item.position(), item.data().byteSize(), locations.apply(item)));
        }
        Optional<Operation.Trailer> trailer =
                hasReplyChunk
                        ? Optional.of(new Operation.Trailer(Optional.of(replyChunk), List.of()))
                        : Optional.empty();
        return new Version2Header.Option(
                xid,
                credits,
                Direction.CALL,
                new TransmitRequest(
                        items, directions(memory), count, responseSends, payload, trailer));
    }

    /** Returns one set for all operations of the call, which begin somewhere in its stream. */
    private List<ResponseSet> directions(Function<MemorySegment, List<Segment>> memory) {
        if (results == ItemTransfer.INLINE || call.resultTargets().isEmpty()) {
            return List.of();
        }
        var items = new ArrayList<ResponseSet.ExpectedResult>();
        for (var target : call.resultTargets()) {
            items.add(
                    new ResponseSet.ExpectedResult(
                            1,
                            results == ItemTransfer.PLACED
                                    ? new Target.Numbered()
                                    : new Target.Explicit(memory.apply(target))));
        }
        return List.of(new ResponseSet(0, call.streamLength(), items));
    }

    /**
     * Returns the number of Sends that the longest response of a call takes. Its bulk results are
     * either placed or part of the payload.
     *
     * @param own how the receives of this side are built
     * @param payload the bytes of the response without the placed results
     * @param placed the lengths of the placed results, in bytes
     * @param max the most Sends of a response
     * @return 0 if it takes more
     */
    static int responseSends(BufferLayout own, long payload, List<Long> placed, int max) {
        return SendPlan.of(own, payload, placed, RequestMessage::responseHeader, max)
                .map(plan -> plan.transmissions().size())
                .orElse(0);
    }

    private static long responseHeader(List<Integer> counts) {
        var moved = new ArrayList<PlacementItem>();
        for (int count : counts) {
            moved.add(
                    new PlacementItem(
                            0, 0, new Location.Numbered(0, Collections.nCopies(count, 0L))));
        }
        return Version2HeaderCodec.encodedLength(
                new Version2Header.Option(
                        0, 0, Direction.REPLY, new TransmitResponse(moved, 1, 0)));
    }
}
