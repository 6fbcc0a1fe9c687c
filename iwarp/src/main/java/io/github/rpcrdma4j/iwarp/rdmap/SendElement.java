package io.github.rpcrdma4j.iwarp.rdmap;

import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.MemoryWindow;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.Signal;
import io.github.rpcrdma4j.verbs.WorkRequest;
import io.github.rpcrdma4j.verbs.software.SoftwareWindow;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * One message to send, and how much of it is cut into segments. An ended element can be reused for
 * another message. Guarded by the send lock of its queue pair.
 *
 * <p>Tests: {@code OutboundTest}.
 */
@SuppressWarnings("exports") // Only providers can use SoftwareWindow.
public final class SendElement {
    /** The kind of message on the wire. */
    public enum Kind {
        SEND,
        WRITE,
        READ_REQUEST,
        READ_RESPONSE,
        /** No message: this side invalidates one of its windows. */
        INVALIDATE
    }

    private Kind kind;
    private long workRequestId;
    private Signal signal;
    private List<Sge> gather;
    private long total;
    private int stag;
    private long offset;
    private boolean invalidates;
    private WorkRequest.Read read;
    private MemoryWindow window;

    /** The window that a Read Response reads, if it has bytes; otherwise null. */
    private SoftwareWindow source;

    private int piece;
    private long inPiece;
    private long done;
    private Completion.Status status;

    /** Makes an unused element; {@link #become} gives it a message. */
    public SendElement() {}

    private SendElement become(Kind newKind, long id, Signal wanted, List<Sge> pieces) {
        kind = newKind;
        workRequestId = id;
        signal = wanted;
        gather = pieces;
        long sum = 0;
        for (int i = 0; i < pieces.size(); i++) {
            sum += pieces.get(i).length();
        }
        total = sum;
        stag = 0;
        offset = 0;
        invalidates = false;
        read = null;
        window = null;
        source = null;
        piece = 0;
        inPiece = 0;
        done = 0;
        status = null;
        return this;
    }

    private SendElement to(int handle, long address) {
        stag = handle;
        offset = address;
        return this;
    }

    public static SendElement of(WorkRequest request) {
        return new SendElement().become(request);
    }

    /** Makes this element the message of a work request. */
    public SendElement become(WorkRequest request) {
        return switch (request) {
            case WorkRequest.Send(var id, var pieces, var invalidate, var wanted) -> {
                become(Kind.SEND, id, wanted, pieces).to(invalidate.orElse(0), 0);
                invalidates = invalidate.isPresent();
                yield this;
            }
            case WorkRequest.Write(var id, var pieces, var handle, var address, var wanted) ->
                    become(Kind.WRITE, id, wanted, pieces).to(handle, address);
            case WorkRequest.Read posted -> {
                become(Kind.READ_REQUEST, posted.id(), posted.signal(), List.of());
                read = posted;
                yield this;
            }
            case WorkRequest.Invalidate(var id, var ended, var wanted) -> {
                become(Kind.INVALIDATE, id, wanted, List.of());
                window = ended;
                yield this;
            }
        };
    }

    /**
     * Sets the handle and address by which the peer names the sink of an RDMA Read. They are valid
     * for this Read alone.
     *
     * @param handle a handle that names no window
     */
    public void nameSink(int handle, long address) {
        to(handle, address);
    }

    /** Drops all references of the message, so that the element can be reused. */
    public void retire() {
        become(Kind.SEND, 0, Signal.SIGNALED, List.of());
    }

    /**
     * Returns the Read Response to a checked Read Request of the peer.
     *
     * @param source the window to read from; null if the request is for no bytes
     */
    public static SendElement response(ReadRequest request, SoftwareWindow source) {
        List<Sge> gather =
                source == null
                        ? List.of()
                        : List.of(
                                new Sge(
                                        source.region(),
                                        source.at(request.sourceOffset()),
                                        Integer.toUnsignedLong(request.size())));
        var response =
                new SendElement()
                        .become(Kind.READ_RESPONSE, 0, Signal.SIGNALED, gather)
                        .to(request.sinkStag(), request.sinkOffset());
        response.source = source;
        return response;
    }

    /** Returns an empty RDMA Write that accesses no memory. */
    public static SendElement emptyWrite() {
        return new SendElement().become(Kind.WRITE, 0, Signal.SIGNALED, List.of()).to(1, 0);
    }

    public Kind kind() {
        return kind;
    }

    /**
     * Returns the length of the message in bytes; for a Read Request, the bytes that it asks for.
     */
    public long length() {
        return read == null ? total : read.sink().length();
    }

    public Signal signal() {
        return signal;
    }

    /** Returns the handle by which the peer names the sink of an RDMA Read. */
    public int sinkHandle() {
        return stag;
    }

    /** Returns the address by which the peer names the first byte of the sink. */
    public long sinkAddress() {
        return offset;
    }

    /** Returns the window to invalidate. */
    public MemoryWindow window() {
        return window;
    }

    public WorkRequest.Read read() {
        return read;
    }

    public SoftwareWindow source() {
        return source;
    }

    /** Returns how many bytes of the message are not in a segment yet. */
    public long left() {
        return total - done;
    }

    public boolean isTagged() {
        return kind == Kind.WRITE || kind == Kind.READ_RESPONSE;
    }

    /**
     * Writes the header of the next segment.
     *
     * @param sequence the MSN, for an untagged message
     */
    public void encodeHeader(int sequence, boolean last, ByteBuffer out) {
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
            case INVALIDATE -> throw new AssertionError("an invalidation has no segment");
        }
    }

    /** Returns the Read Request message of this element. */
    public ReadRequest readRequest() {
        return new ReadRequest(
                stag, offset, (int) read.sink().length(), read.handle(), read.address());
    }

    /** Returns how many of the remaining bytes lie in the next {@code count} gather elements. */
    public long inPieces(int count) {
        long bytes = -inPiece;
        for (int i = piece; i < gather.size() && i < piece + count; i++) {
            bytes += gather.get(i).length();
        }
        return bytes;
    }

    /**
     * Returns a view of the next at most {@code max} bytes that lie in one gather element, and
     * advances past them.
     */
    public ByteBuffer next(long max, PayloadViews views) {
        int count = (int) startRun(max);
        var from = gather.get(piece);
        var bytes = views.next(from.region().segment(), from.offset() + inPiece, count);
        endRun(count);
        return bytes;
    }

    /**
     * Copies the next at most {@code max} bytes that lie in one gather element, and advances past
     * them.
     *
     * @return how many bytes were copied
     */
    public int copyNext(MemorySegment target, long at, long max) {
        int count = (int) startRun(max);
        var from = gather.get(piece);
        MemorySegment.copy(from.region().segment(), from.offset() + inPiece, target, at, count);
        endRun(count);
        return count;
    }

    private long startRun(long max) {
        while (inPiece == gather.get(piece).length()) {
            piece++;
            inPiece = 0;
        }
        return Math.min(max, gather.get(piece).length() - inPiece);
    }

    private void endRun(long count) {
        inPiece += count;
        done += count;
    }

    /** Returns the status with which it ended; null while it has not. */
    public Completion.Status status() {
        return status;
    }

    public void end(Completion.Status how) {
        if (status == null) {
            status = how;
        }
    }

    /** Ends the element as flushed, unless it has already failed. */
    public void flush() {
        if (status == null || status == Completion.Status.SUCCESS) {
            status = Completion.Status.FLUSHED;
        }
    }

    /** Returns the completion for the poster of the work request. */
    public Completion completion(QueuePair queuePair, Completion.Status how) {
        return new Completion(queuePair, workRequestId, operation(), how, length(), false, 0);
    }

    /**
     * Returns whether {@code other}, a completion of this queue pair, is equal to the completion of
     * this element.
     */
    public boolean hasEqualCompletion(Completion other, Completion.Status how) {
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
            case INVALIDATE -> Completion.Operation.INVALIDATE;
        };
    }
}
