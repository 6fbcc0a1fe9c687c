package io.github.rpcrdma4j.iwarp.tcp;

import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.rdmap.ReadRequest;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.WorkRequest;
import io.github.rpcrdma4j.verbs.software.SoftwareRegion;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A message to send, with how far it is cut into segments. Guarded by the send lock of its queue
 * pair.
 */
final class SendElement {
    /** What the element is on the wire. */
    enum Kind {
        SEND,
        WRITE,
        READ_REQUEST,
        READ_RESPONSE
    }

    private final Kind kind;
    private final long workRequestId;
    private final List<MemorySegment> gather;
    private final long total;
    private final int stag;
    private final long offset;
    private final boolean invalidates;
    private final WorkRequest.Read read;

    /** Whose memory is read from, for a Read Response with octets in it. */
    private final SoftwareRegion source;

    private int piece;
    private long inPiece;
    private long done;
    private Completion.Status status;

    private SendElement(
            Kind kind,
            long workRequestId,
            List<MemorySegment> gather,
            int stag,
            long offset,
            boolean invalidates,
            WorkRequest.Read read,
            SoftwareRegion source) {
        this.kind = kind;
        this.workRequestId = workRequestId;
        this.gather = gather;
        this.stag = stag;
        this.offset = offset;
        this.invalidates = invalidates;
        this.read = read;
        this.source = source;
        long sum = 0;
        for (var segment : gather) {
            sum += segment.byteSize();
        }
        this.total = sum;
    }

    static SendElement of(WorkRequest request) {
        return switch (request) {
            case WorkRequest.Send(var id, var gather, var invalidate) ->
                    new SendElement(
                            Kind.SEND,
                            id,
                            gather,
                            invalidate.orElse(0),
                            0,
                            invalidate.isPresent(),
                            null,
                            null);
            case WorkRequest.Write(var id, var gather, var handle, var address) ->
                    new SendElement(Kind.WRITE, id, gather, handle, address, false, null, null);
            case WorkRequest.Read read ->
                    new SendElement(
                            Kind.READ_REQUEST, read.id(), List.of(), 0, 0, false, read, null);
        };
    }

    /** The answer to a peer's Read Request whose source has been checked; null for no octets. */
    static SendElement response(ReadRequest request, SoftwareRegion source) {
        List<MemorySegment> gather =
                source == null
                        ? List.of()
                        : List.of(
                                source.slice(
                                        request.sourceOffset(),
                                        Integer.toUnsignedLong(request.size())));
        return new SendElement(
                Kind.READ_RESPONSE,
                0,
                gather,
                request.sinkStag(),
                request.sinkOffset(),
                false,
                null,
                source);
    }

    /** An RDMA Write of nothing, to nowhere. */
    static SendElement emptyWrite() {
        return new SendElement(Kind.WRITE, 0, List.of(), 1, 0, false, null, null);
    }

    Kind kind() {
        return kind;
    }

    long workRequestId() {
        return workRequestId;
    }

    /** The octets of the message, or for a Read Request those it asks for. */
    long length() {
        return read == null ? total : Integer.toUnsignedLong(read.length());
    }

    WorkRequest.Read read() {
        return read;
    }

    SoftwareRegion source() {
        return source;
    }

    /** Octets that are not in a segment yet. */
    long left() {
        return total - done;
    }

    boolean isTagged() {
        return kind == Kind.WRITE || kind == Kind.READ_RESPONSE;
    }

    /**
     * The header of the next segment.
     *
     * @param sequence the MSN, for an untagged message
     */
    DdpSegment header(int sequence, boolean last) {
        return switch (kind) {
            case SEND ->
                    new DdpSegment.Untagged(
                            DdpSegment.control(
                                    false,
                                    last,
                                    invalidates ? DdpSegment.SEND_INVALIDATE : DdpSegment.SEND),
                            stag,
                            DdpSegment.QUEUE_SEND,
                            sequence,
                            (int) done);
            case READ_REQUEST ->
                    new DdpSegment.Untagged(
                            DdpSegment.control(false, last, DdpSegment.READ_REQUEST),
                            0,
                            DdpSegment.QUEUE_READ_REQUEST,
                            sequence,
                            0);
            // RFC 5040-5.1-2.
            case WRITE ->
                    new DdpSegment.Tagged(
                            DdpSegment.control(true, last, DdpSegment.WRITE), stag, offset + done);
            case READ_RESPONSE ->
                    new DdpSegment.Tagged(
                            DdpSegment.control(true, last, DdpSegment.READ_RESPONSE),
                            stag,
                            offset + done);
        };
    }

    /** The message of a Read Request. */
    ReadRequest readRequest() {
        var sink = read.sink();
        return new ReadRequest(
                sink.handle(),
                sink.address() + read.sinkOffset(),
                read.length(),
                read.handle(),
                read.address());
    }

    /** How many of the octets left lie in the next {@code count} pieces. */
    long inPieces(int count) {
        long octets = -inPiece;
        for (int i = piece; i < gather.size() && i < piece + count; i++) {
            octets += gather.get(i).byteSize();
        }
        return octets;
    }

    /** The next run of at most {@code max} octets that lies in one piece. */
    ByteBuffer next(long max) {
        while (inPiece == gather.get(piece).byteSize()) {
            piece++;
            inPiece = 0;
        }
        var segment = gather.get(piece);
        long count = Math.min(max, segment.byteSize() - inPiece);
        var octets = segment.asSlice(inPiece, count).asByteBuffer();
        inPiece += count;
        done += count;
        return octets;
    }

    /** How it ended; null while it has not. */
    Completion.Status status() {
        return status;
    }

    void end(Completion.Status how) {
        if (status == null) {
            status = how;
        }
    }

    /** What its end looks like to the one who posted it. */
    Completion completion(QueuePair queuePair, Completion.Status how) {
        return new Completion(queuePair, workRequestId, operation(), how, length(), false, 0);
    }

    private Completion.Operation operation() {
        return switch (kind) {
            case SEND -> Completion.Operation.SEND;
            case WRITE -> Completion.Operation.WRITE;
            case READ_REQUEST, READ_RESPONSE -> Completion.Operation.READ;
        };
    }
}
