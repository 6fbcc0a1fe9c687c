package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.dissect.SendDecoder.Head;
import io.github.rpcrdma4j.dissect.SendDecoder.Role;
import io.github.rpcrdma4j.dissect.SendDecoder.Sent;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem.Location;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet.Target;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reassembles the payload stream of a message that one side sends in several Sends of version 2.
 * Bulk data that Sends placed is left out. Not thread-safe.
 */
final class GroupReader {
    /** The most payload bytes that are kept of a group; the decoder reads fewer. */
    private static final int KEPT_MAX = 1 << 16;

    private Version2Header.Option first;
    private Operation.Initial initial;
    private ByteArrayOutputStream payload;
    private long bytes;
    private long sends;

    /**
     * Processes a message of version 2.
     *
     * @return the whole call or reply, if this Send completes a group; otherwise the Send itself
     */
    Sent take(Sent sent, byte[] message) {
        if (!(sent.layer() instanceof Layer.Transport2(Version2Header.Option header)
                && header.operation() instanceof Operation.Transmission part)) {
            first = null;
            return sent;
        }
        switch (part) {
            case Operation.Initial begin -> {
                first = header;
                initial = begin;
                payload = new ByteArrayOutputStream();
                bytes = 0;
                sends = 0;
            }
            case Operation.Continuation next -> {
                if (!continues(header, next)) {
                    first = null;
                    return sent;
                }
            }
        }
        add(message, header.encodedLength(), part.payloadLength());
        return sends < initial.count() ? sent : whole(sent);
    }

    private boolean continues(Version2Header.Option header, Operation.Continuation next) {
        return first != null
                && header.xid() == first.xid()
                && header.direction() == first.direction()
                && next.number() == sends;
    }

    private void add(byte[] message, int from, long length) {
        int room = Math.min(message.length - from, KEPT_MAX - payload.size());
        payload.write(message, from, (int) Math.min(room, length));
        bytes += message.length;
        sends++;
    }

    private Sent whole(Sent last) {
        var begin = first;
        first = null;
        var chunks =
                switch (initial) {
                    case Operation.TransmitRequest request -> chunks(request);
                    case Operation.TransmitResponse _ -> ChunkLists.EMPTY;
                };
        return new Sent(
                begin.direction() == Direction.CALL ? Role.CALL : Role.REPLY,
                last.layer(),
                Optional.of(
                        new Head(
                                begin.xid(),
                                begin.credits(),
                                Version2Decoder.form(begin),
                                bytes,
                                true,
                                false)),
                last.alignment(),
                chunks,
                MemorySegment.ofArray(payload.toByteArray()),
                Version2Decoder.completed(begin),
                last.findings());
    }

    /** Returns the memory that a request offers, in the form of chunk lists. */
    private static ChunkLists chunks(Operation.TransmitRequest request) {
        var reads = new ArrayList<ReadSegment>();
        for (var item : request.moved()) {
            if (item.location() instanceof Location.Explicit(var segments)) {
                segments.forEach(
                        each -> reads.add(new ReadSegment((int) item.displacement(), each)));
            }
        }
        var writes = new ArrayList<WriteChunk>();
        for (var set : request.directions()) {
            for (var item : set.results()) {
                memory(item.target()).map(WriteChunk::new).ifPresent(writes::add);
            }
        }
        var replyChunk =
                request.trailer().flatMap(Operation.Trailer::replyChunk).map(WriteChunk::new);
        return new ChunkLists(reads, writes, replyChunk);
    }

    private static Optional<List<Segment>> memory(Target target) {
        return switch (target) {
            case Target.Explicit(var segments) -> Optional.of(segments);
            case Target.Choice(var segments) -> Optional.of(segments);
            case Target.BySize(_, var segments) -> Optional.of(segments);
            case Target.Numbered() -> Optional.empty();
        };
    }
}
