package io.github.rpcrdma4j.sim.capture;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

/**
 * What a packet capture holds of TCP.
 *
 * <pre>
 *   magic(4) version(4) zone(4) accuracy(4) limit(4) link type(4)      once, in the magic's order
 *   seconds(4) micros(4) captured(4) length(4) | packet                for every packet
 * </pre>
 *
 * @param streams one for each direction of each connection, in the order of their first packets
 */
public record Capture(List<Stream> streams) {
    /**
     * Linux NFS client and server on the siw driver, both in NFS versions 3 and 4.1.
     *
     * <p>The {@code linux-} captures hold mounts with small and 256 KiB reads and writes, in large
     * TCP segments, without CRCs: their CRC fields are zero. The {@code -crc-} captures hold the
     * namespace operations, a write of 1 MiB and a read of 1 MiB, with CRCs and 1500-octet packets.
     */
    public static final List<String> NAMES =
            List.of(
                    "linux-nfs3",
                    "linux-nfs4.1",
                    "v3-crc-meta",
                    "v3-crc-write1m",
                    "v4.1-crc-meta",
                    "v4.1-crc-read1m");

    private static final int MAGIC = 0xa1b2c3d4;
    private static final int FILE_HEADER = 24;
    private static final int PACKET_HEADER = 16;
    private static final int LINK_TYPE_AT = 20;
    private static final int ETHERNET = 1;
    private static final int ETHERNET_HEADER = 14;
    private static final int ETHERTYPE_AT = 12;
    private static final int IPV4 = 0x0800;
    private static final int IPV4_HEADER = 20;
    private static final int IPV4_LENGTH_AT = 2;
    private static final int PROTOCOL_AT = 9;
    private static final int TCP = 6;
    private static final int SOURCE_AT = 12;
    private static final int DESTINATION_AT = 16;
    private static final int TCP_HEADER = 20;
    private static final int SEQUENCE_AT = 4;
    private static final int TCP_LENGTH_AT = 12;
    private static final int FLAGS_AT = 13;
    private static final int SYN = 0x02;

    /**
     * One direction of one connection.
     *
     * @param bytes what was sent, in order, retransmissions dropped; not copied
     */
    public record Stream(InetSocketAddress from, InetSocketAddress to, byte[] bytes) {}

    /**
     * The capture of that name that comes with this module.
     *
     * @param name one of {@link #NAMES}
     */
    public static Capture named(String name) throws IOException {
        try (var in = Capture.class.getResourceAsStream(name + ".pcap")) {
            if (in == null) {
                throw new IllegalArgumentException("no such capture: " + name);
            }
            return read(in);
        }
    }

    /**
     * Reads a pcap file of Ethernet packets.
     *
     * @throws IOException if it is not one, or octets are missing in the middle of a stream
     */
    public static Capture read(InputStream in) throws IOException {
        var file = ByteBuffer.wrap(in.readAllBytes());
        if (file.remaining() < FILE_HEADER) {
            throw new IOException("not a pcap file");
        }
        if (file.getInt(0) != MAGIC) {
            file.order(ByteOrder.LITTLE_ENDIAN);
        }
        if (file.getInt(0) != MAGIC || file.getInt(LINK_TYPE_AT) != ETHERNET) {
            throw new IOException("not a pcap file of Ethernet packets");
        }
        file.position(FILE_HEADER);
        var open = new LinkedHashMap<List<InetSocketAddress>, Direction>();
        var all = new ArrayList<Direction>();
        while (file.remaining() >= PACKET_HEADER) {
            int captured = file.getInt(file.position() + 8);
            file.position(file.position() + PACKET_HEADER);
            if (captured < 0 || captured > file.remaining()) {
                throw new IOException("the capture ends inside a packet");
            }
            ethernet(file.slice(file.position(), captured), open, all);
            file.position(file.position() + captured);
        }
        var streams = new ArrayList<Stream>();
        for (var direction : all) {
            streams.add(direction.stream());
        }
        return new Capture(List.copyOf(streams));
    }

    /** The other direction of the same connection. */
    public Optional<Stream> opposite(Stream stream) {
        return streams.stream()
                .filter(each -> each.from().equals(stream.to()) && each.to().equals(stream.from()))
                .findFirst();
    }

    private static void ethernet(
            ByteBuffer packet,
            LinkedHashMap<List<InetSocketAddress>, Direction> open,
            List<Direction> all)
            throws IOException {
        if (packet.remaining() < ETHERNET_HEADER + IPV4_HEADER + TCP_HEADER
                || packet.getShort(ETHERTYPE_AT) != IPV4
                || packet.get(ETHERNET_HEADER + PROTOCOL_AT) != TCP) {
            return;
        }
        int headerBytes = (packet.get(ETHERNET_HEADER) & 0x0f) * 4;
        // Short packets are padded by Ethernet, so the length is the one that IP says.
        int length = packet.getShort(ETHERNET_HEADER + IPV4_LENGTH_AT) & 0xffff;
        if (headerBytes < IPV4_HEADER
                || length < headerBytes + TCP_HEADER
                || length > packet.remaining() - ETHERNET_HEADER) {
            throw new IOException("a packet was not captured whole");
        }
        var segment = packet.slice(ETHERNET_HEADER + headerBytes, length - headerBytes);
        var from = address(packet, SOURCE_AT, segment.getShort(0));
        var to = address(packet, DESTINATION_AT, segment.getShort(2));
        var ends = List.of(from, to);
        int sequence = segment.getInt(SEQUENCE_AT);
        boolean opens = (segment.get(FLAGS_AT) & SYN) != 0;
        var direction = open.get(ends);
        if (direction == null || (opens && direction.first != sequence + 1)) {
            direction = new Direction(from, to, opens ? sequence + 1 : sequence);
            open.put(ends, direction);
            all.add(direction);
        }
        int dataAt = (segment.get(TCP_LENGTH_AT) >>> 4 & 0x0f) * 4;
        if (dataAt < TCP_HEADER || dataAt > segment.remaining()) {
            throw new IOException("a TCP header has a length that cannot be");
        }
        if (dataAt < segment.remaining()) {
            byte[] octets = new byte[segment.remaining() - dataAt];
            segment.get(dataAt, octets);
            direction.pieces.add(new Piece(sequence - direction.first, octets));
        }
    }

    private static InetSocketAddress address(ByteBuffer packet, int at, short port)
            throws IOException {
        byte[] octets = new byte[4];
        packet.get(ETHERNET_HEADER + at, octets);
        return new InetSocketAddress(InetAddress.getByAddress(octets), port & 0xffff);
    }

    /** Octets that one packet carried, {@code at} octets into the stream. */
    private record Piece(int at, byte[] octets) {}

    private static final class Direction {
        private final InetSocketAddress from;
        private final InetSocketAddress to;
        private final int first;
        private final List<Piece> pieces = new ArrayList<>();

        private Direction(InetSocketAddress from, InetSocketAddress to, int first) {
            this.from = from;
            this.to = to;
            this.first = first;
        }

        private Stream stream() throws IOException {
            pieces.sort(Comparator.comparingInt(Piece::at));
            var bytes = new ByteArrayOutputStream();
            for (var piece : pieces) {
                int known = bytes.size() - piece.at();
                if (known < 0) {
                    throw new IOException(from + " sent octets that were not captured");
                }
                if (known < piece.octets().length) {
                    bytes.write(piece.octets(), known, piece.octets().length - known);
                }
            }
            return new Stream(from, to, bytes.toByteArray());
        }
    }
}
