package io.github.rpcrdma4j.iwarp.observe;

import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.mpa.Fpdu;
import io.github.rpcrdma4j.iwarp.mpa.MpaFrame;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Cuts the bytes of one direction into the set-up frame and the FPDUs after it (RFC 5044, Sections
 * 4 and 7.1). It copies the bytes that it gets. It keeps at most one incomplete frame and the bytes
 * added with the end of a frame. Not thread-safe.
 */
public final class FrameReader {
    private byte[] bytes = new byte[1 << 10];
    private int start;
    private int end;
    private boolean setUp;
    private boolean broken;

    /** The next frame of the stream. */
    public sealed interface Frame {
        /** The set-up frame, decoded and as bytes. */
        record SetUp(MpaFrame frame, byte[] bytes) implements Frame {}

        /** An FPDU. The caller owns its bytes. */
        record Data(Fpdu fpdu) implements Frame {}

        /**
         * Bytes that start no valid frame. The reader returns no more frames until {@link
         * FrameReader#restart}.
         */
        record Broken(String why) implements Frame {}
    }

    /**
     * Makes a reader of one direction.
     *
     * @param setUp whether the stream starts with a set-up frame
     */
    public FrameReader(boolean setUp) {
        this.setUp = setUp;
    }

    /** Adds the next bytes of the stream. */
    public void add(ByteBuffer more) {
        int count = more.remaining();
        if (bytes.length - end < count) {
            int kept = end - start;
            var target = bytes.length - kept < count ? new byte[2 * (kept + count)] : bytes;
            System.arraycopy(bytes, start, target, 0, kept);
            bytes = target;
            start = 0;
            end = kept;
        }
        more.get(more.position(), bytes, end, count);
        end += count;
    }

    /** Returns how many bytes do not belong to a whole frame yet. */
    public int pending() {
        return end - start;
    }

    /** Takes the bytes that do not belong to a whole frame. */
    public byte[] takePending() {
        byte[] rest = Arrays.copyOfRange(bytes, start, end);
        start = end;
        return rest;
    }

    /** Discards all bytes that have not been returned. The bytes added next must start an FPDU. */
    public void restart() {
        start = end;
        setUp = false;
        broken = false;
    }

    /** Returns the next frame; null if it is not complete yet. */
    public Frame next() {
        if (broken || start == end) {
            return null;
        }
        return setUp ? nextSetUp() : nextData();
    }

    private Frame nextSetUp() {
        // The set-up frame is the first frame, so its stream starts at the first kept byte.
        return switch (MpaFrame.decode(Arrays.copyOfRange(bytes, start, end), end - start)) {
            case MpaFrame.Decoded.Whole(var frame, var length) -> {
                byte[] whole = Arrays.copyOfRange(bytes, start, start + length);
                start += length;
                setUp = false;
                yield new Frame.SetUp(frame, whole);
            }
            case MpaFrame.Decoded.Incomplete _ -> null;
            case MpaFrame.Decoded.Malformed(var why) -> {
                broken = true;
                yield new Frame.Broken(why);
            }
        };
    }

    private Frame nextData() {
        var view = ByteBuffer.wrap(bytes, start, end - start);
        if (view.remaining() < Fpdu.LENGTH_BYTES + DdpSegment.CONTROL_BYTES) {
            return null;
        }
        int length = view.getShort(start) & 0xffff;
        if (length < DdpSegment.headerBytes(control(view, start))) {
            broken = true;
            return new Frame.Broken("a frame is too short for its header");
        }
        int whole = Fpdu.length(length);
        if (view.remaining() < whole) {
            return null;
        }
        byte[] frame = Arrays.copyOfRange(bytes, start, start + whole);
        start += whole;
        return new Frame.Data(new Fpdu(ByteBuffer.wrap(frame)));
    }

    private static int control(ByteBuffer view, int at) {
        return view.getShort(at + Fpdu.LENGTH_BYTES) & 0xffff;
    }

    /**
     * Returns whether bytes of a stream with unknown framing look like the start of an FPDU: the
     * versions are right, and the opcode fits the kind of segment.
     */
    public static boolean isLikelyStart(ByteBuffer from) {
        int at = from.position();
        if (from.remaining() < Fpdu.LENGTH_BYTES + DdpSegment.TAGGED_BYTES) {
            return false;
        }
        int control = control(from, at);
        boolean tagged = (control & DdpSegment.TAGGED_FLAG) != 0;
        int opcode = control & DdpSegment.OPCODE_MASK;
        boolean last = (control & DdpSegment.LAST_FLAG) != 0;
        boolean opcodeFits =
                tagged
                        ? opcode == DdpSegment.WRITE || opcode == DdpSegment.READ_RESPONSE
                        : opcode == DdpSegment.READ_REQUEST
                                || (opcode >= DdpSegment.SEND && opcode <= DdpSegment.TERMINATE);
        return opcodeFits
                && control == DdpSegment.control(tagged, last, opcode)
                && (from.getShort(at) & 0xffff) >= DdpSegment.headerBytes(control);
    }
}
