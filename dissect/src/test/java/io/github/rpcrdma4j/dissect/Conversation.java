package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.capture.Endpoint;
import io.github.rpcrdma4j.capture.PacketReader;
import io.github.rpcrdma4j.capture.Pcapng;
import io.github.rpcrdma4j.capture.TcpSegment;
import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.mpa.Fpdu;
import io.github.rpcrdma4j.iwarp.mpa.MpaFrame;
import io.github.rpcrdma4j.iwarp.rdmap.ReadRequest;
import io.github.rpcrdma4j.rpcrdma.wire.PrivateData;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/** A capture of one connection, composed frame by frame. {@code up} means from the initiator. */
final class Conversation {
    private static final Endpoint INITIATOR = new Endpoint(false, 0, 0x0a00_0001, 700);
    private static final Endpoint RESPONDER = new Endpoint(false, 0, 0x0a00_0002, 20049);
    private static final long START = 1_700_000_000_000_000_000L;
    private static final long MILLI = 1_000_000;

    private final ByteArrayOutputStream file = new ByteArrayOutputStream();
    private final int[] sequences = {1000, 2000};
    private final int[] sends = {1, 1};
    private final int[] reads = {1, 1};
    private int packets;

    Conversation() {
        file.writeBytes(Pcapng.header(1));
    }

    private static int side(boolean up) {
        return up ? 0 : 1;
    }

    /** Adds a TCP segment, one millisecond after the previous one. */
    Conversation segment(boolean up, int flags, byte[] bytes) {
        int from = side(up);
        var segment =
                new TcpSegment(
                        up ? INITIATOR : RESPONDER,
                        up ? RESPONDER : INITIATOR,
                        sequences[from],
                        sequences[1 - from],
                        flags,
                        bytes.length,
                        ByteBuffer.wrap(bytes));
        file.writeBytes(Pcapng.packet(START + packets++ * MILLI, segment.encode()));
        sequences[from] += bytes.length + ((flags & TcpSegment.SYN) != 0 ? 1 : 0);
        return this;
    }

    Conversation bytes(boolean up, byte[] bytes) {
        return segment(up, TcpSegment.ACK, bytes);
    }

    /** Skips bytes, as if they were sent and not captured. */
    Conversation missing(boolean up, int bytes) {
        sequences[side(up)] += bytes;
        return this;
    }

    Conversation handshake() {
        segment(true, TcpSegment.SYN, new byte[0]);
        return segment(false, TcpSegment.SYN | TcpSegment.ACK, new byte[0]);
    }

    /** Adds all segments before the first frame. Both sides support remote invalidation. */
    Conversation setUp() {
        return setUp(true, true);
    }

    /**
     * Adds all segments before the first frame.
     *
     * @param initiator whether the initiator states support for remote invalidation
     * @param responder whether the responder states support for remote invalidation
     */
    Conversation setUp(boolean initiator, boolean responder) {
        handshake();
        bytes(true, frame(false, 16, 0, new PrivateData(initiator, 4096, 4096).encode()).encode());
        return bytes(
                false,
                frame(true, 0, 16, new PrivateData(responder, 4096, 4096).encode()).encode());
    }

    static MpaFrame frame(boolean reply, int ird, int ord, byte[] privateData) {
        return new MpaFrame(
                reply,
                false,
                true,
                false,
                2,
                Optional.of(MpaFrame.Enhanced.ofDepths(ird, ord)),
                privateData);
    }

    static byte[] fpdu(DdpSegment header, byte[] payload) {
        int length = DdpSegment.headerBytes(header.control()) + payload.length;
        var out = ByteBuffer.allocate(Fpdu.length(length)).putShort((short) length);
        header.encode(out);
        out.put(payload).position(out.limit() - Fpdu.CRC_BYTES);
        int crc = new Fpdu(out.duplicate().rewind()).crcComputed();
        return out.order(ByteOrder.LITTLE_ENDIAN).putInt(crc).array();
    }

    Conversation send(boolean up, byte[] message) {
        return send(up, DdpSegment.SEND, 0, message);
    }

    Conversation send(boolean up, int opcode, int invalidate, byte[] message) {
        int control = DdpSegment.control(false, true, opcode);
        int sequence = sends[side(up)]++;
        return bytes(
                up, fpdu(new DdpSegment.Untagged(control, invalidate, 0, sequence, 0), message));
    }

    Conversation send(boolean up, String example) {
        return send(up, Examples.bytes(example));
    }

    Conversation readRequest(boolean up, ReadRequest request) {
        var message = ByteBuffer.allocate(ReadRequest.BYTES);
        request.encode(message);
        int control = DdpSegment.control(false, true, DdpSegment.READ_REQUEST);
        int sequence = reads[side(up)]++;
        return bytes(
                up, fpdu(new DdpSegment.Untagged(control, 0, 1, sequence, 0), message.array()));
    }

    Conversation tagged(boolean up, int opcode, boolean last, int stag, long at, int bytes) {
        int control = DdpSegment.control(true, last, opcode);
        return bytes(up, fpdu(new DdpSegment.Tagged(control, stag, at), new byte[bytes]));
    }

    byte[] file() {
        return file.toByteArray();
    }

    Dissection dissect() {
        return dissect(file());
    }

    Dissection dissect(Version1Document document) {
        return dissect(file(), document);
    }

    static Dissection dissect(byte[] file) {
        return dissect(file, Version1Document.RFC_8166);
    }

    private static Dissection dissect(byte[] file, Version1Document document) {
        try {
            return Dissector.dissect(
                    PacketReader.of(new ByteArrayInputStream(file)), true, document);
        } catch (IOException impossible) {
            throw new AssertionError(impossible);
        }
    }

    ConnectionReport connection() {
        return connection(Version1Document.RFC_8166);
    }

    ConnectionReport connection(Version1Document document) {
        return dissect(file(), document).connections().getFirst();
    }
}
