package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.capture.Packet;
import io.github.rpcrdma4j.capture.PacketReader;
import io.github.rpcrdma4j.capture.Pcapng;
import io.github.rpcrdma4j.capture.TcpSegment;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Captures whose packets keep their times, in another order. */
final class Shuffled {
    private static final int SERVER_PORT = 20049;

    private Shuffled() {}

    /** Returns the packets of servers, and then those of clients. */
    static byte[] byDirection(byte[] file) throws IOException {
        var servers = new ArrayList<Packet>();
        var others = new ArrayList<Packet>();
        for (var packet : packets(file)) {
            (isFromServer(packet) ? servers : others).add(packet);
        }
        servers.addAll(others);
        return file(servers);
    }

    /** Returns the packets with each pair the other way round. */
    static byte[] inPairs(byte[] file) throws IOException {
        var packets = packets(file);
        for (int i = 0; i + 1 < packets.size(); i += 2) {
            packets.add(i, packets.remove(i + 1));
        }
        return file(packets);
    }

    private static boolean isFromServer(Packet packet) {
        return TcpSegment.decode(packet.linkType(), packet.bytes())
                        instanceof TcpSegment.Decoded.Tcp(var segment)
                && segment.from().port() == SERVER_PORT;
    }

    private static List<Packet> packets(byte[] file) throws IOException {
        var reader = PacketReader.of(new ByteArrayInputStream(file));
        var packets = new ArrayList<Packet>();
        for (var packet = reader.next(); packet != null; packet = reader.next()) {
            packets.add(packet);
        }
        return packets;
    }

    private static byte[] file(List<Packet> packets) {
        var out = new ByteArrayOutputStream();
        out.writeBytes(Pcapng.header(packets.getFirst().linkType()));
        for (var packet : packets) {
            var bytes = packet.bytes().duplicate();
            byte[] content = new byte[bytes.remaining()];
            bytes.get(content);
            out.writeBytes(Pcapng.packet(packet.nanos(), content));
        }
        return out.toByteArray();
    }
}
