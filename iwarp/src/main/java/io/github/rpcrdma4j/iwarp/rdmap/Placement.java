package io.github.rpcrdma4j.iwarp.rdmap;

import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.ddp.DdpSegment.Untagged;
import io.github.rpcrdma4j.iwarp.ddp.PlacementTarget;
import io.github.rpcrdma4j.iwarp.ddp.ReceiveQueue;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.Completion.Status;
import io.github.rpcrdma4j.verbs.software.Guarded;
import io.github.rpcrdma4j.verbs.software.SoftwareWindow;
import io.github.rpcrdma4j.verbs.software.SoftwareWindows;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * The rules for placing the payload of each segment and for delivering messages (RFC 5041, Section
 * 5; RFC 5040, Section 5). All checks come before the first byte is placed (RFC 5041-7.1-11).
 *
 * <p>Guarded by the receive lock of its queue pair.
 *
 * <p>Tests: {@code InboundTest}, {@code InboundFaultsTest}.
 */
@SuppressWarnings("exports") // Only providers can use SoftwareWindows.
public final class Placement {
    /** The queue pair's reactions to placed messages. */
    public interface Effects {
        /** Reports that the oldest receive holds a complete message. */
        void received(ReceiveQueue.Posted receive, long length, DdpSegment.Untagged last);

        /** Reports that the peer's Send cannot be placed into its receive. */
        void receiveFailed(ReceiveQueue.Posted receive, Status status);

        /**
         * Answers an RDMA Read of the peer.
         *
         * @return false if the peer exceeds the agreed number of outstanding RDMA Reads
         */
        boolean readRequested(SendElement response);

        /** Returns this side's oldest outstanding RDMA Read; null if there is none. */
        SendElement oldestRead();

        /** Reports that all bytes of the oldest RDMA Read are placed. */
        void readDone();

        /** Reports that the sink of the oldest RDMA Read is no longer valid. */
        void sinkInvalidated();

        /** Reports that a whole frame has arrived. */
        void frameReceived();
    }

    private static final int CONTROL_MAX = 128;

    private final SoftwareWindows windows;
    private final ReceiveQueue receives;
    private final Effects effects;

    /**
     * Whether an empty Send is consumed as the peer's ready-to-receive frame, if it is the very
     * first frame (RFC 6581-9.2-2).
     */
    private boolean ignoresFirstSend;

    /** The buffer for Read Requests and Terminate messages. */
    private final ByteBuffer control = ByteBuffer.allocateDirect(CONTROL_MAX);

    private final MemorySegment controlMemory = MemorySegment.ofBuffer(control);
    private final PlacementTarget target = new PlacementTarget();

    /**
     * The header of the newest segment. To save one object per segment, a tagged header lies in
     * these fields; an untagged one is a record.
     */
    private int controlField = DdpSegment.LAST_FLAG;

    private int stag;
    private long offset;
    private Untagged untagged;

    /**
     * The memory of the newest segment: a window, or the region of a receive or of a Read's sink.
     */
    private Guarded memory;

    private int sendSequence = 1;
    private int readSequence = 1;
    private ReceiveQueue.Posted receive;
    private long received;
    private long readReceived;

    public Placement(
            SoftwareWindows windows,
            ReceiveQueue receives,
            Effects effects,
            boolean ignoresFirstSend) {
        this.windows = windows;
        this.receives = receives;
        this.effects = effects;
        this.ignoresFirstSend = ignoresFirstSend;
    }

    /** Returns the target for the payload of the newest segment. */
    public PlacementTarget target() {
        return target;
    }

    /** Claims the target memory for a short copy; see {@link Guarded#acquire}. */
    public boolean enter() {
        return memory == null || memory.acquire();
    }

    public void exit() {
        if (memory != null) {
            memory.release();
        }
    }

    /** Handles target memory that was invalidated in the middle of a segment. */
    public Outcome targetInvalidated() {
        if (memory instanceof SoftwareWindow) {
            return broken(Fault.WRITE_INVALID_STAG, null);
        }
        if (DdpSegment.isTagged(controlField)) {
            effects.sinkInvalidated();
            return new Outcome.Ended(
                    "the sink of an RDMA Read was invalidated while it was filled");
        }
        effects.receiveFailed(takeUnfinished(), Status.LOCAL_ACCESS_ERROR);
        return new Outcome.Ended("the memory of a receive was invalidated before it was filled");
    }

    /** Takes the receive of a partly placed message, which is in no queue any more; may be null. */
    public ReceiveQueue.Posted takeUnfinished() {
        var unfinished = receive;
        receive = null;
        return unfinished;
    }

    /** Returns the header of the newest segment. */
    public DdpSegment header() {
        return DdpSegment.isTagged(controlField)
                ? new DdpSegment.Tagged(controlField, stag, offset)
                : untagged;
    }

    /** Returns whether the newest segment is the last of its message. */
    public boolean isLast() {
        return DdpSegment.isLast(controlField);
    }

    /** Returns whether the newest segment carries data of an RDMA Read of this side. */
    public boolean isReadResponse() {
        return DdpSegment.isTagged(controlField)
                && DdpSegment.opcode(controlField) == DdpSegment.READ_RESPONSE;
    }

    /** Returns the length of the newest segment's header, in bytes. */
    public int headerBytes() {
        return DdpSegment.headerBytes(controlField);
    }

    /**
     * Checks the header at the buffer's position, and advances the position past it. The buffer
     * holds the whole header.
     *
     * @param payload the length of the segment's payload, in bytes
     * @return the error of the peer; null if there is none
     */
    public Fault begin(ByteBuffer in, int payload) {
        target.setNothing();
        int at = in.position();
        controlField = DdpSegment.control(in, at);
        if (DdpSegment.isTagged(controlField)) {
            stag = DdpSegment.stag(in, at);
            offset = DdpSegment.taggedOffset(in, at);
            in.position(at + DdpSegment.TAGGED_BYTES);
            return tagged(payload);
        }
        memory = null;
        untagged = DdpSegment.decodeUntagged(in);
        return untagged(untagged, payload);
    }

    private Fault tagged(int payload) {
        var before = memory;
        memory = null;
        // RFC 5041-7.1-5, 5040-4.1-2, 5040-4.1-5.
        if (DdpSegment.ddpVersion(controlField) != 1) {
            return Fault.TAGGED_VERSION;
        }
        if (DdpSegment.rdmapVersion(controlField) != 1) {
            return Fault.RDMAP_VERSION;
        }
        return switch (DdpSegment.opcode(controlField)) {
            case DdpSegment.WRITE -> write(before, payload);
            case DdpSegment.READ_RESPONSE -> readResponse(payload);
            default -> Fault.UNEXPECTED_OPCODE;
        };
    }

    /**
     * Checks a segment of an RDMA Write.
     *
     * @param before the memory of the previous segment. Most segments go to that window, so it
     *     needs no look-up while it is valid
     */
    private Fault write(Guarded before, int payload) {
        if (payload == 0) {
            // Without payload there is no access, so the handle need not exist (RFC 5041-5.1.1-1).
            return null;
        }
        // RFC 5040-5.1-1, 5041-7.1-1, 5041-7.1-2, 5041-7.1-3, 5041-7.1-4.
        var window =
                before instanceof SoftwareWindow same && same.handle() == stag && same.isValid()
                        ? same
                        : windows.find(stag);
        if (window == null) {
            return Fault.WRITE_INVALID_STAG;
        }
        if (!window.allows(Access.REMOTE_WRITE)) {
            return Fault.ACCESS_VIOLATION;
        }
        if (!window.contains(offset, payload)) {
            return Fault.WRITE_OUT_OF_BOUNDS;
        }
        memory = window;
        target.set(window.region().segment(), window.at(offset), payload);
        return null;
    }

    private Fault readResponse(int payload) {
        // RFC 5040-5.2.2-2.
        var oldest = effects.oldestRead();
        if (oldest == null) {
            return Fault.UNEXPECTED_OPCODE;
        }
        if (stag != oldest.sinkHandle()) {
            return Fault.WRITE_INVALID_STAG;
        }
        long total = oldest.length();
        if (offset != oldest.sinkAddress() + readReceived
                || readReceived + payload > total
                || isLast() != (readReceived + payload == total)) {
            return Fault.WRITE_OUT_OF_BOUNDS;
        }
        if (payload > 0) {
            var sink = oldest.read().sink();
            memory = (Guarded) sink.region();
            target.set(sink.region().segment(), sink.offset() + readReceived, payload);
        }
        readReceived += payload;
        return null;
    }

    private Fault untagged(Untagged header, int payload) {
        if (header.ddpVersion() != 1) {
            return Fault.UNTAGGED_VERSION;
        }
        if (header.rdmapVersion() != 1) {
            return Fault.RDMAP_VERSION;
        }
        return switch (header.opcode()) {
            // A poll returns for every Send, solicited or not (RFC 5040-5.3-4).
            case DdpSegment.SEND,
                    DdpSegment.SEND_INVALIDATE,
                    DdpSegment.SEND_SOLICITED,
                    DdpSegment.SEND_INVALIDATE_SOLICITED ->
                    send(header, payload);
            case DdpSegment.READ_REQUEST ->
                    control(
                            header,
                            payload,
                            DdpSegment.QUEUE_READ_REQUEST,
                            readSequence,
                            payload == ReadRequest.BYTES);
            case DdpSegment.TERMINATE ->
                    control(
                            header,
                            payload,
                            DdpSegment.QUEUE_TERMINATE,
                            1,
                            payload >= Terminate.BYTES && payload <= CONTROL_MAX);
            default -> Fault.UNEXPECTED_OPCODE;
        };
    }

    private Fault control(
            Untagged header, int payload, int queue, int sequence, boolean rightLength) {
        if (header.queue() != queue) {
            return Fault.INVALID_QUEUE;
        }
        if (header.sequence() != sequence) {
            return Fault.INVALID_SEQUENCE;
        }
        if (header.offset() != 0) {
            return Fault.INVALID_OFFSET;
        }
        if (!header.isLast() || !rightLength) {
            return Fault.FRAMING;
        }
        target.set(controlMemory, 0, payload);
        return null;
    }

    private Fault send(Untagged header, int payload) {
        // RFC 5041-7.1-6, 5041-7.1-8, 5041-7.1-9.
        if (header.queue() != DdpSegment.QUEUE_SEND) {
            return Fault.INVALID_QUEUE;
        }
        if (header.sequence() != sendSequence) {
            return Fault.INVALID_SEQUENCE;
        }
        if (Integer.toUnsignedLong(header.offset()) != received) {
            return Fault.INVALID_OFFSET;
        }
        if (ignoresFirstSend && payload == 0 && header.isLast()) {
            return null;
        }
        ignoresFirstSend = false;
        // Each message takes one receive, in order (RFC 5041-5.1.2-1, 5040-5.3-1, 5041-7.1-7).
        if (receive == null) {
            receive = receives.take();
        }
        if (receive == null) {
            return Fault.NO_BUFFER;
        }
        // RFC 5041-7.1-10.
        if (received + payload > receive.length()) {
            effects.receiveFailed(takeUnfinished(), Status.LOCAL_LENGTH_ERROR);
            return Fault.MESSAGE_TOO_LONG;
        }
        memory = receive.region();
        target.set(receive.region().segment(), receive.offset() + received, payload);
        received += payload;
        return null;
    }

    /**
     * Ends a segment whose payload is placed and whose CRC is right. The last segment delivers the
     * message (RFC 5041-5.4-1, 5040-5.5-1, 5040-5.5-2). An RDMA Write is not reported (RFC
     * 5041-5.4-2).
     *
     * @return how the connection ends; null if it goes on
     */
    public Outcome end() {
        effects.frameReceived();
        if (!isLast()) {
            return null;
        }
        if (isReadResponse()) {
            readReceived = 0;
            effects.readDone();
        }
        if (!DdpSegment.isTagged(controlField)) {
            return switch (untagged.opcode()) {
                case DdpSegment.READ_REQUEST -> readRequested();
                case DdpSegment.TERMINATE -> new Outcome.Terminated(Terminate.decode(control()));
                default -> sent(untagged);
            };
        }
        return null;
    }

    private Outcome sent(Untagged header) {
        sendSequence++;
        if (ignoresFirstSend) {
            ignoresFirstSend = false;
            return null;
        }
        // The handle is invalidated before the message is delivered (RFC 5040-5.3-2, 5040-5.3-3).
        if (header.invalidates()) {
            var named = windows.find(header.invalidate());
            if (named != null) {
                named.invalidate();
            } else if (!windows.endedRecently(header.invalidate())) {
                return broken(Fault.CANNOT_INVALIDATE, null);
            }
        }
        long length = received;
        received = 0;
        effects.received(takeUnfinished(), length, header);
        return null;
    }

    /** Returns the received Read Request or Terminate message. */
    private ByteBuffer control() {
        return control.clear().limit(target.length());
    }

    private Outcome readRequested() {
        readSequence++;
        var request = ReadRequest.decode(control());
        SoftwareWindow source = null;
        // RFC 5040-5.2.1-2, 5040-5.2.1-4.
        if (request.size() != 0) {
            source = windows.find(request.sourceStag());
            if (source == null) {
                return broken(Fault.READ_INVALID_STAG, request);
            }
            if (!source.allows(Access.REMOTE_READ)) {
                return broken(Fault.ACCESS_VIOLATION, request);
            }
            if (!source.contains(request.sourceOffset(), Integer.toUnsignedLong(request.size()))) {
                return broken(Fault.READ_OUT_OF_BOUNDS, request);
            }
        }
        return effects.readRequested(SendElement.response(request, source))
                ? null
                : broken(Fault.TOO_MANY_READS, request);
    }

    private Outcome broken(Fault fault, ReadRequest read) {
        int length = headerBytes() + target.length();
        return new Outcome.Broken(fault, new Terminate.Offender(length, header(), read));
    }
}
