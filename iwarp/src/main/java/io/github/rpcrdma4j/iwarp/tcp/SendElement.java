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
 * A message to send, with how far it is cut into segments. When it has ended it can become another.
 * Guarded by the send lock of its queue pair.
 */
final class SendElement {
    /** What the element is on the wire. */
    enum Kind {
        SEND,
        WRITE,
        READ_REQUEST,
        READ_RESPONSE
    }

    private Kind kind;
    private long workRequestId;
    private List<MemorySegment> gather;
    private long total;
    private int stag;
    private long offset;
    private boolean invalidates;
    private WorkRequest.Read read;

    /** Whose memory is read from, for a Read Response with octets in it. */
    private SoftwareRegion source;

    private int piece;
    private long inPiece;
    private long done;
    private Completion.Status status;

    /** An element that is to become something. */
    SendElement() {}

    private SendElement become(
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
        for (int i = 0; i < gather.size(); i++) {
            sum += gather.get(i).byteSize();
        }
        this.total = sum;
        this.piece = 0;
        this.inPiece = 0;
        this.done = 0;
        this.status = null;
        return this;
    }

    static SendElement of(WorkRequest request) {
        return new SendElement().become(request);
    }

    /** Becomes the message of a work request. */
    SendElement become(WorkRequest request) {
        return switch (request) {
            case WorkRequest.Send(var id, var gather, var invalidate) ->
                    become(
                            Kind.SEND,
                            id,
                            gather,
                            invalidate.orElse(0),
                            0,
                            invalidate.isPresent(),
                            null,
                            null);
            case WorkRequest.Write(var id, var gather, var handle, var address) ->
                    become(Kind.WRITE, id, gather, handle, address, false, null, null);
            case WorkRequest.Read asked ->
                    become(Kind.READ_REQUEST, asked.id(), List.of(), 0, 0, false, asked, null);
        };
    }

    /** Lets go of what it was, and may become something else. */
    void retire() {
        become(Kind.SEND, 0, List.of(), 0, 0, false, null, null);
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
        return new SendElement()
                .become(
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
        return new SendElement().become(Kind.WRITE, 0, List.of(), 1, 0, false, null, null);
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
     * Writes the header of the next segment.
     *
     * @param sequence the MSN, for an untagged message
     */
    void encodeHeader(int sequence, boolean last, ByteBuffer out) {
        switch (kind) {
            case SEND ->
                    DdpSegment.encode(
                            DdpSegment.control(
                                    false,
                                    last,
                                    invalidates ? DdpSegment.SEND_INVALIDATE : DdpSegment.SEND),
                            stag,
                            DdpSegment.QUEUE_SEND,
                            sequence,
                            (int) done,
                            out);
            case READ_REQUEST ->
                    DdpSegment.encode(
                            DdpSegment.control(false, last, DdpSegment.READ_REQUEST),
                            0,
                            DdpSegment.QUEUE_READ_REQUEST,
                            sequence,
                            0,
                            out);
            // RFC 5040-5.1-2.
            case WRITE ->
                    DdpSegment.encode(
                            DdpSegment.control(true, last, DdpSegment.WRITE),
                            stag,
                            offset + done,
                            out);
            case READ_RESPONSE ->
                    DdpSegment.encode(
                            DdpSegment.control(true, last, DdpSegment.READ_RESPONSE),
                            stag,
                            offset + done,
                            out);
        }
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

    /** The next run of at most {@code max} octets that lies in one piece, as one of the views. */
    ByteBuffer next(long max, PieceViews views) {
        int count = (int) startRun(max);
        var octets = views.next(gather.get(piece), inPiece, count);
        endRun(count);
        return octets;
    }

    /**
     * Copies the next run of at most {@code max} octets that lies in one piece.
     *
     * @return how many were copied
     */
    int copyNext(MemorySegment target, long at, long max) {
        int count = (int) startRun(max);
        MemorySegment.copy(gather.get(piece), inPiece, target, at, count);
        endRun(count);
        return count;
    }

    private long startRun(long max) {
        while (inPiece == gather.get(piece).byteSize()) {
            piece++;
            inPiece = 0;
        }
        return Math.min(max, gather.get(piece).byteSize() - inPiece);
    }

    private void endRun(long count) {
        inPiece += count;
        done += count;
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

    /** It ends unfinished, or behind something that does. */
    void flush() {
        if (status == null || status == Completion.Status.SUCCESS) {
            status = Completion.Status.FLUSHED;
        }
    }

    /** What its end looks like to the one who posted it. */
    Completion completion(QueuePair queuePair, Completion.Status how) {
        return new Completion(queuePair, workRequestId, operation(), how, length(), false, 0);
    }

    /** Whether a completion of the same queue pair says of another what is to be said of this. */
    boolean isSaidBy(Completion other, Completion.Status how) {
        return other.workRequestId() == workRequestId
                && other.operation() == operation()
                && other.status() == how
                && other.length() == length();
    }

    private Completion.Operation operation() {
        return switch (kind) {
            case SEND -> Completion.Operation.SEND;
            case WRITE -> Completion.Operation.WRITE;
            case READ_REQUEST, READ_RESPONSE -> Completion.Operation.READ;
        };
    }
}
