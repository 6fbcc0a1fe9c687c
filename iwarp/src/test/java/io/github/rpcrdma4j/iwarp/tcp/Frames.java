package io.github.rpcrdma4j.iwarp.tcp;

import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.mpa.Fpdu;
import io.github.rpcrdma4j.iwarp.rdmap.ReadRequest;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** A stream of frames, encoded independently of the sending half under test. */
public final class Frames {
    private final boolean crcs;
    private final ByteArrayOutputStream stream = new ByteArrayOutputStream();
    private int sends = 1;
    private int reads = 1;

    public Frames(boolean crcs) {
        this.crcs = crcs;
    }

    public byte[] bytes() {
        return stream.toByteArray();
    }

    /** Returns the offset of the next frame, in bytes. */
    public int size() {
        return stream.size();
    }

    public static byte[] pattern(int length, int seed) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * 31 + seed);
        }
        return bytes;
    }

    public Frames add(DdpSegment header, byte[] payload) {
        var ulpdu = ByteBuffer.allocate(DdpSegment.headerBytes(header.control()) + payload.length);
        header.encode(ulpdu);
        return add(ulpdu.put(payload).array());
    }

    /** Adds a frame with any ULPDU. */
    public Frames add(byte[] ulpdu) {
        int length = ulpdu.length;
        var frame = ByteBuffer.allocate(Fpdu.LENGTH_BYTES + length + Fpdu.trailer(length));
        frame.putShort((short) length);
        frame.put(ulpdu).position(frame.position() + Fpdu.padding(length));
        if (crcs) {
            var crc = new CRC32C();
            crc.update(frame.array(), 0, frame.position());
            frame.order(ByteOrder.LITTLE_ENDIAN).putInt((int) crc.getValue());
        }
        stream.writeBytes(frame.array());
        return this;
    }

    public Frames write(int stag, long offset, boolean last, byte[] payload) {
        int control = DdpSegment.control(true, last, DdpSegment.WRITE);
        return add(new DdpSegment.Tagged(control, stag, offset), payload);
    }

    public Frames readResponse(int stag, long offset, boolean last, byte[] payload) {
        int control = DdpSegment.control(true, last, DdpSegment.READ_RESPONSE);
        return add(new DdpSegment.Tagged(control, stag, offset), payload);
    }

    /** Adds one segment of a Send. The sequence number increases after the last segment. */
    public Frames send(int opcode, int invalidate, int at, boolean last, byte[] payload) {
        int control = DdpSegment.control(false, last, opcode);
        add(new DdpSegment.Untagged(control, invalidate, 0, sends, at), payload);
        sends += last ? 1 : 0;
        return this;
    }

    public Frames send(byte[] payload) {
        return send(DdpSegment.SEND, 0, 0, true, payload);
    }

    public Frames readRequest(ReadRequest request) {
        var payload = ByteBuffer.allocate(ReadRequest.BYTES);
        request.encode(payload);
        int control = DdpSegment.control(false, true, DdpSegment.READ_REQUEST);
        return add(new DdpSegment.Untagged(control, 0, 1, reads++, 0), payload.array());
    }

    public Frames terminate(byte... message) {
        int control = DdpSegment.control(false, true, DdpSegment.TERMINATE);
        return add(new DdpSegment.Untagged(control, 0, 2, 1, 0), message);
    }
}
