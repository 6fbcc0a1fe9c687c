package io.github.rpcrdma4j.capture.linux;

import io.github.rpcrdma4j.capture.Endpoint;
import io.github.rpcrdma4j.capture.Packet;
import io.github.rpcrdma4j.capture.PacketReader;
import io.github.rpcrdma4j.capture.TcpReassembly;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The TCP streams of a packet capture.
 *
 * @param streams two for each connection, with that of the opening side first
 */
public record Capture(List<Stream> streams) {
    /**
     * The captures of a Linux NFS client and server on the siw driver, with NFS versions 3 and 4.1.
     *
     * <p>The {@code linux-} captures hold mounts with small and 256 KiB reads and writes, in large
     * TCP segments without CRCs: their CRC fields are zero. The {@code -crc-} captures hold
     * namespace operations, a write of 1 MiB and a read of 1 MiB, with CRCs and 1500-byte packets.
     */
    public static final List<String> NAMES =
            List.of(
                    "linux-nfs3",
                    "linux-nfs4.1",
                    "v3-crc-meta",
                    "v3-crc-write1m",
                    "v4.1-crc-meta",
                    "v4.1-crc-read1m");

    /**
     * One direction of one connection.
     *
     * @param bytes the sent bytes in order, without retransmissions; not copied
     */
    public record Stream(Endpoint from, Endpoint to, byte[] bytes) {}

    /**
     * Opens the capture file of this name.
     *
     * @param name one of {@link #NAMES}
     */
    public static InputStream file(String name) {
        var in = Capture.class.getResourceAsStream(name + ".pcap");
        if (in == null) {
            throw new IllegalArgumentException("no such capture: " + name);
        }
        return in;
    }

    /**
     * Returns the streams of the capture file of this name.
     *
     * @throws IOException if bytes are missing in the middle of a stream
     */
    public static Capture named(String name) throws IOException {
        try (var in = file(name)) {
            var reader = PacketReader.of(in);
            var streams = new Streams();
            var reassembly = new TcpReassembly(streams);
            for (var packet = reader.next(); packet != null; packet = reader.next()) {
                reassembly.add(packet);
            }
            reassembly.finish();
            if (streams.gaps > 0 || reader.failure().isPresent()) {
                throw new IOException("the capture is incomplete");
            }
            return streams.capture();
        }
    }

    /** Returns the opposite direction of a stream's connection. */
    public Optional<Stream> opposite(Stream stream) {
        return streams.stream()
                .filter(each -> each.from().equals(stream.to()) && each.to().equals(stream.from()))
                .findFirst();
    }

    private static final class Streams implements TcpReassembly.Watcher {
        private record Connection(
                Endpoint client,
                Endpoint server,
                ByteArrayOutputStream up,
                ByteArrayOutputStream down) {}

        private final List<Connection> connections = new ArrayList<>();
        private int gaps;

        private Capture capture() {
            var streams = new ArrayList<Stream>();
            for (var each : connections) {
                streams.add(new Stream(each.client, each.server, each.up.toByteArray()));
                streams.add(new Stream(each.server, each.client, each.down.toByteArray()));
            }
            return new Capture(List.copyOf(streams));
        }

        @Override
        public void opened(int connection, Endpoint client, Endpoint server, boolean whole) {
            connections.add(
                    new Connection(
                            client,
                            server,
                            new ByteArrayOutputStream(),
                            new ByteArrayOutputStream()));
        }

        @Override
        public void data(int connection, boolean fromClient, Packet packet, ByteBuffer bytes) {
            byte[] copy = new byte[bytes.remaining()];
            bytes.get(bytes.position(), copy);
            var each = connections.get(connection - 1);
            (fromClient ? each.up : each.down).writeBytes(copy);
        }

        @Override
        public void gap(int connection, boolean fromClient, Packet packet, long bytes) {
            gaps++;
        }

        @Override
        public void closed(int connection, boolean fromClient, Packet packet, boolean reset) {
            // A stream needs no mark of its end.
        }
    }
}
