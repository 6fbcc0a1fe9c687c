package io.github.rpcrdma4j.capture;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * The reader of the older capture format.
 *
 * <pre>
 *   magic(4) version(4) zone(4) accuracy(4) limit(4) link type(4)      once, in the magic's order
 *   seconds(4) fraction(4) captured(4) length(4) | packet              for every packet
 * </pre>
 *
 * The magic says whether the fraction counts microseconds or nanoseconds.
 */
final class Pcap implements PacketReader {
    private static final int MICROS = 0xa1b2c3d4;
    private static final int NANOS = 0xa1b23c4d;
    private static final int HEADER_BYTES = 20;
    private static final int LINK_TYPE_AT = 16;

    /**
     * The link type without the higher bits, which describe an optional checksum that is not used
     * here.
     */
    private static final int LINK_TYPE_MASK = 0x03ff_ffff;

    private static final int PACKET_HEADER_BYTES = 16;
    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final int NANOS_PER_MICRO = 1000;

    private final InputStream in;
    private final ByteOrder order;
    private final int nanosPerUnit;
    private final int linkType;
    private long number;
    private String failure;

    private Pcap(InputStream in, ByteOrder order, int nanosPerUnit, int linkType) {
        this.in = in;
        this.order = order;
        this.nanosPerUnit = nanosPerUnit;
        this.linkType = linkType;
    }

    /** Reads the header after the magic; empty if this is not a pcap file. */
    static Optional<Pcap> read(int magic, InputStream in) throws IOException {
        var order = ByteOrder.BIG_ENDIAN;
        int word = magic;
        if (word != MICROS && word != NANOS) {
            order = ByteOrder.LITTLE_ENDIAN;
            word = Integer.reverseBytes(magic);
        }
        if (word != MICROS && word != NANOS) {
            return Optional.empty();
        }
        byte[] header = in.readNBytes(HEADER_BYTES);
        if (header.length < HEADER_BYTES) {
            return Optional.empty();
        }
        int linkType = ByteBuffer.wrap(header).order(order).getInt(LINK_TYPE_AT) & LINK_TYPE_MASK;
        return Optional.of(new Pcap(in, order, word == MICROS ? NANOS_PER_MICRO : 1, linkType));
    }

    @Override
    public Packet next() throws IOException {
        if (failure != null) {
            return null;
        }
        byte[] bytes = in.readNBytes(PACKET_HEADER_BYTES);
        if (bytes.length < PACKET_HEADER_BYTES) {
            return bytes.length == 0 ? null : end("the file ends inside a packet");
        }
        var header = ByteBuffer.wrap(bytes).order(order);
        long seconds = Integer.toUnsignedLong(header.getInt());
        long fraction = Integer.toUnsignedLong(header.getInt());
        int captured = header.getInt();
        if (captured < 0 || captured > PACKET_MAX) {
            return end("a packet has an invalid length");
        }
        byte[] packet = in.readNBytes(captured);
        if (packet.length < captured) {
            return end("the file ends inside a packet");
        }
        long nanos = seconds * NANOS_PER_SECOND + fraction * nanosPerUnit;
        return new Packet(++number, nanos, linkType, ByteBuffer.wrap(packet));
    }

    private Packet end(String why) {
        failure = why;
        return null;
    }

    @Override
    public Optional<String> failure() {
        return Optional.ofNullable(failure);
    }
}
