package io.github.rpcrdma4j.iwarp.observe;

import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.mpa.Fpdu;
import io.github.rpcrdma4j.iwarp.mpa.MpaFrame;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Cuts the bytes of one direction into the set-up frame and the FPDUs behind it (RFC 5044, Sections
 * 4 and 7.1). It copies what it is given, and keeps no more than a frame and what came with its
 * end. Not thread-safe.
 */
public final class FrameReader {
    private byte[] bytes = new byte[1 << 10];
    private int start;
    private int end;
    private boolean setUp;
    private boolean broken;

    /** What comes next in the stream. */
    public sealed interface Frame {
        /** The set-up frame, and its bytes. */
        record SetUp(MpaFrame frame, byte[] bytes) implements Frame {}

        /** An FPDU, owned by its reader. */
        record Data(Fpdu fpdu) implements Frame {}

        /** No frame can start like that; nothing follows before {@link FrameReader#restart}. */
        record Broken(String why) implements Frame {}
    }

    /**
     * @param setUp whether the stream starts with a set-up frame
     */
    public FrameReader(boolean setUp) {
        this.setUp = setUp;
    }

    /** Adds what came next. */
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

    /** Bytes that are not part of a whole frame yet. */
    public int pending() {
        return end - start;
    }

    /** Takes the bytes that make no frame. */
    public byte[] takePending() {
        byte[] rest = Arrays.copyOfRange(bytes, start, end);
        start = end;
        return rest;
    }

    /** Forgets what has come; the next bytes are the start of an FPDU. */
    public void restart() {
        start = end;
        setUp = false;
        broken = false;
    }

    /** The next frame; null if it is not whole yet. */
    public Frame next() {
        if (broken || start == end) {
            return null;
        }
        return setUp ? nextSetUp() : nextData();
    }

    private Frame nextSetUp() {
        // A set-up frame is at the start of its stream, and so of the bytes.
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
     * Whether bytes look like the start of an FPDU, where it is not known where one starts: the
     * versions are right, and the opcode goes with the kind of the segment.
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
