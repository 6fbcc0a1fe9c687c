package io.github.rpcrdma4j.iwarp.observe;

import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.ddp.DdpSegment.Tagged;
import io.github.rpcrdma4j.iwarp.ddp.DdpSegment.Untagged;
import io.github.rpcrdma4j.iwarp.mpa.Fpdu;
import io.github.rpcrdma4j.iwarp.mpa.MpaFrame;
import io.github.rpcrdma4j.iwarp.rdmap.Fault;
import io.github.rpcrdma4j.iwarp.rdmap.ReadRequest;
import io.github.rpcrdma4j.iwarp.rdmap.Terminate;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Follows one direction of a connection through MPA, DDP and RDMAP. The user passes bytes to {@link
 * #add}, and {@link #next} returns what they contain. Any bytes give a result, even invalid ones.
 *
 * <p>Not thread-safe.
 */
public final class DirectionObserver {
    /** The longest Send that the observer reassembles, in bytes. */
    public static final int SEND_MAX = 1 << 20;

    /** One item seen in the stream. */
    public sealed interface Seen {
        /** The set-up frame, of {@code length} bytes. */
        record SetUp(MpaFrame frame, int length) implements Seen {}

        /**
         * A DDP segment in its FPDU.
         *
         * @param payload the bytes after the header, as a view
         * @param crc the state of the FPDU's CRC
         * @param faults the errors that oblige the receiver to send a Terminate message
         * @param message the message that this segment completes, if it ends an untagged message;
         *     empty for a Send in which a segment was missing or damaged
         */
        record Segment(
                Fpdu fpdu,
                DdpSegment header,
                ByteBuffer payload,
                Crc crc,
                List<Fault> faults,
                Optional<Message> message)
                implements Seen {
            /** Returns whether the segment has no faults. */
            public boolean isSound() {
                return faults.isEmpty();
            }
        }

        /** A loss of framing: the start of the next frame is unknown until {@link #resume}. */
        record Lost(String why) implements Seen {}
    }

    /** An untagged message. */
    public sealed interface Message {
        record Send(byte[] bytes) implements Message {}

        record Read(ReadRequest request) implements Message {}

        record End(Terminate terminate) implements Message {}
    }

    /** The result of checking a CRC field. */
    public enum Crc {
        RIGHT,
        WRONG,
        /** The sides agreed on no CRC. */
        ABSENT,
        /** The set-up frames were not seen, and the CRC does not match. */
        UNKNOWN
    }

    private final FrameReader frames;

    /** The bytes of the current Send; empty if it is partial or longer than {@link #SEND_MAX}. */
    private final ByteArrayOutputStream send = new ByteArrayOutputStream();

    /** The end of the last segment of the current Send: the offset of its next segment. */
    private long sendLength;

    /**
     * Whether the current Send lacks bytes: its start was not seen, or an offset or a CRC was
     * wrong.
     */
    private boolean isPartial;

    private Boolean crcs;

    /** Whether the number of the next Send is known. */
    private boolean knowsSends;

    /** Whether the number of the next Read Request is known. */
    private boolean knowsReads;

    private int sendSequence = 1;
    private int readSequence = 1;

    /**
     * Makes an observer of one direction.
     *
     * @param setUp whether the direction is seen from its set-up frame on
     */
    public DirectionObserver(boolean setUp) {
        frames = new FrameReader(setUp);
        knowsSends = setUp;
        knowsReads = setUp;
    }

    /** Sets whether FPDUs carry CRCs, as the set-up frames agreed. */
    public void agreed(boolean withCrcs) {
        crcs = withCrcs;
    }

    /** Adds the next bytes of the stream. */
    public void add(ByteBuffer bytes) {
        frames.add(bytes);
    }

    /** Returns how many bytes do not belong to a whole frame yet. */
    public int pending() {
        return frames.pending();
    }

    /**
     * Marks a gap in the stream. The bytes added next must start a frame. It may be in the middle
     * of a Send, which is then not returned as a message.
     */
    public void resume() {
        frames.restart();
        startSend();
        knowsSends = false;
        knowsReads = false;
    }

    /** Returns the next item; null if it needs more bytes. */
    public Seen next() {
        return switch (frames.next()) {
            case null -> null;
            case FrameReader.Frame.SetUp(var frame, var bytes) ->
                    new Seen.SetUp(frame, bytes.length);
            case FrameReader.Frame.Broken(var why) -> new Seen.Lost(why);
            case FrameReader.Frame.Data(var fpdu) -> segment(fpdu);
        };
    }

    private Seen.Segment segment(Fpdu fpdu) {
        var payload = fpdu.ulpdu();
        var header = DdpSegment.decode(payload);
        var crc = crc(fpdu);
        var faults = new ArrayList<Fault>();
        if (crc == Crc.WRONG) {
            faults.add(Fault.CRC);
        }
        Optional<Message> message =
                switch (header) {
                    case Tagged tagged -> {
                        check(tagged, faults);
                        yield Optional.empty();
                    }
                    case Untagged untagged -> untagged(untagged, payload.slice(), faults);
                };
        return new Seen.Segment(fpdu, header, payload, crc, List.copyOf(faults), message);
    }

    private Crc crc(Fpdu fpdu) {
        if (Boolean.FALSE.equals(crcs)) {
            return Crc.ABSENT;
        }
        if (fpdu.crcSent() == fpdu.crcComputed()) {
            return Crc.RIGHT;
        }
        return crcs == null ? Crc.UNKNOWN : Crc.WRONG;
    }

    private static void check(Tagged header, List<Fault> faults) {
        if (header.ddpVersion() != 1) {
            faults.add(Fault.TAGGED_VERSION);
        } else if (header.rdmapVersion() != 1) {
            faults.add(Fault.RDMAP_VERSION);
        } else if (header.opcode() != DdpSegment.WRITE
                && header.opcode() != DdpSegment.READ_RESPONSE) {
            faults.add(Fault.UNEXPECTED_OPCODE);
        }
    }

    private Optional<Message> untagged(Untagged header, ByteBuffer payload, List<Fault> faults) {
        if (header.ddpVersion() != 1) {
            faults.add(Fault.UNTAGGED_VERSION);
            return Optional.empty();
        }
        if (header.rdmapVersion() != 1) {
            faults.add(Fault.RDMAP_VERSION);
            return Optional.empty();
        }
        return switch (header.opcode()) {
            case DdpSegment.SEND,
                    DdpSegment.SEND_INVALIDATE,
                    DdpSegment.SEND_SOLICITED,
                    DdpSegment.SEND_INVALIDATE_SOLICITED ->
                    send(header, payload, faults);
            case DdpSegment.READ_REQUEST -> read(header, payload, faults);
            case DdpSegment.TERMINATE -> terminate(header, payload, faults);
            default -> {
                faults.add(Fault.UNEXPECTED_OPCODE);
                yield Optional.empty();
            }
        };
    }

    private Optional<Message> send(Untagged header, ByteBuffer payload, List<Fault> faults) {
        if (header.queue() != DdpSegment.QUEUE_SEND) {
            faults.add(Fault.INVALID_QUEUE);
            return Optional.empty();
        }
        if (!knowsSends) {
            knowsSends = true;
            sendSequence = header.sequence();
            sendLength = Integer.toUnsignedLong(header.offset());
            isPartial = sendLength > 0;
        }
        if (header.sequence() != sendSequence) {
            faults.add(Fault.INVALID_SEQUENCE);
            sendSequence = header.sequence();
            startSend();
        }
        if (Integer.toUnsignedLong(header.offset()) != sendLength) {
            faults.add(Fault.INVALID_OFFSET);
            sendLength = Integer.toUnsignedLong(header.offset());
            isPartial = true;
            send.reset();
        }
        // A receiver gets no byte of a segment with a wrong CRC.
        isPartial |= faults.contains(Fault.CRC);
        boolean wasTooLong = sendLength > SEND_MAX;
        sendLength += payload.remaining();
        boolean isTooLong = sendLength > SEND_MAX;
        if (!isTooLong && !isPartial) {
            byte[] piece = new byte[payload.remaining()];
            payload.get(piece);
            send.writeBytes(piece);
        } else if (isTooLong && !wasTooLong) {
            faults.add(Fault.MESSAGE_TOO_LONG);
            send.reset();
        }
        if (!header.isLast()) {
            return Optional.empty();
        }
        sendSequence++;
        boolean isWhole = !isPartial && !isTooLong;
        byte[] bytes = send.toByteArray();
        startSend();
        return isWhole ? Optional.of(new Message.Send(bytes)) : Optional.empty();
    }

    private void startSend() {
        send.reset();
        sendLength = 0;
        isPartial = false;
    }

    private Optional<Message> read(Untagged header, ByteBuffer payload, List<Fault> faults) {
        checkControl(header, DdpSegment.QUEUE_READ_REQUEST, faults);
        if (header.sequence() != readSequence && knowsReads) {
            faults.add(Fault.INVALID_SEQUENCE);
        }
        knowsReads = true;
        readSequence = header.sequence() + 1;
        if (!header.isLast() || payload.remaining() != ReadRequest.BYTES) {
            faults.add(Fault.FRAMING);
            return Optional.empty();
        }
        return Optional.of(new Message.Read(ReadRequest.decode(payload)));
    }

    private Optional<Message> terminate(Untagged header, ByteBuffer payload, List<Fault> faults) {
        checkControl(header, DdpSegment.QUEUE_TERMINATE, faults);
        if (!header.isLast() || payload.remaining() < Terminate.BYTES) {
            faults.add(Fault.FRAMING);
            return Optional.empty();
        }
        return Optional.of(new Message.End(Terminate.decode(payload)));
    }

    private static void checkControl(Untagged header, int queue, List<Fault> faults) {
        if (header.queue() != queue) {
            faults.add(Fault.INVALID_QUEUE);
        }
        if (header.offset() != 0) {
            faults.add(Fault.INVALID_OFFSET);
        }
    }
}
