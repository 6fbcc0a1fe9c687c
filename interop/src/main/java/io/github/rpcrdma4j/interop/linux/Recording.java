package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.capture.Endpoint;
import io.github.rpcrdma4j.capture.Packet;
import io.github.rpcrdma4j.capture.PacketReader;
import io.github.rpcrdma4j.capture.Pcapng;
import io.github.rpcrdma4j.capture.TcpReassembly;
import io.github.rpcrdma4j.capture.TcpSegment;
import io.github.rpcrdma4j.iwarp.mpa.MpaFrame;
import io.github.rpcrdma4j.iwarp.observe.DirectionObserver;
import io.github.rpcrdma4j.iwarp.observe.DirectionObserver.Seen;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads what crossed the guest's network, and writes it down again with every frame in a packet of
 * its own.
 *
 * <p>The emulator's user networking cuts a stream where it likes. Dissectors that expect a frame to
 * start with a packet, which MPA recommends and does not require (RFC 5044, Section 5), get lost in
 * that; in the copy they do not.
 */
final class Recording implements TcpReassembly.Watcher {
    private static final int ETHERNET = 1;

    private final OutputStream aligned;
    private final List<Connection> connections = new ArrayList<>();

    /** One direction of a connection. */
    private static final class Half {
        private final Endpoint from;
        private final Endpoint to;
        private final DirectionObserver observer = new DirectionObserver(true);
        private int sequence = 1;

        private Half(Endpoint from, Endpoint to) {
            this.from = from;
            this.to = to;
        }
    }

    /** What is kept of a connection; times in nanoseconds, 0 for what did not happen. */
    static final class Connection {
        private final Half up;
        private final Half down;
        private long firstCall;
        private long firstAnswer;
        private long frames;
        private final List<String> faults = new ArrayList<>();

        private Connection(Endpoint client, Endpoint server) {
            up = new Half(client, server);
            down = new Half(server, client);
        }

        /** The responder has the last word on CRCs (RFC 5044, Section 7.1). */
        private void agreed(MpaFrame reply) {
            up.observer.agreed(reply.crc());
            down.observer.agreed(reply.crc());
        }

        /** From the first frame behind the set-up to the first that comes back; 0 if none did. */
        long startNanos() {
            return firstAnswer == 0 ? 0 : firstAnswer - firstCall;
        }

        /** Set-up frames and FPDUs, both ways. */
        long frames() {
            return frames;
        }

        /** What is wrong with frames of one side. */
        List<String> faults() {
            return faults;
        }
    }

    private Recording(OutputStream aligned) {
        this.aligned = aligned;
    }

    /**
     * Reads a capture.
     *
     * @param aligned where the copy goes
     * @return the connections of iWARP
     */
    static List<Connection> read(Path capture, Path aligned) throws IOException {
        try (var in = Files.newInputStream(capture);
                var out = new BufferedOutputStream(Files.newOutputStream(aligned))) {
            out.write(Pcapng.header(ETHERNET));
            var recording = new Recording(out);
            var reassembly = new TcpReassembly(recording);
            var packets = PacketReader.of(in);
            for (var packet = packets.next(); packet != null; packet = packets.next()) {
                reassembly.add(packet);
            }
            reassembly.finish();
            return recording.connections.stream().filter(each -> each.frames > 0).toList();
        } catch (UncheckedIOException failure) {
            throw failure.getCause();
        }
    }

    @Override
    public void opened(int connection, Endpoint client, Endpoint server, boolean whole) {
        connections.add(new Connection(client, server));
    }

    @Override
    public void data(int number, boolean fromClient, Packet packet, ByteBuffer bytes) {
        var connection = connections.get(number - 1);
        var half = fromClient ? connection.up : connection.down;
        half.observer.add(bytes);
        for (var seen = half.observer.next(); seen != null; seen = half.observer.next()) {
            switch (seen) {
                case Seen.SetUp(var frame, _) -> {
                    if (!fromClient) {
                        connection.agreed(frame);
                    }
                    write(connection, half, packet, ByteBuffer.wrap(frame.encode()));
                }
                case Seen.Segment segment -> {
                    start(connection, fromClient, packet.nanos());
                    if (!segment.isSound()) {
                        connection.faults.add(half.from + " sent " + segment.faults());
                    }
                    write(connection, half, packet, segment.fpdu().bytes());
                }
                case Seen.Lost(var why) -> {
                    connection.faults.add(half.from + ": " + why);
                    return;
                }
            }
        }
    }

    private static void start(Connection connection, boolean fromClient, long nanos) {
        if (fromClient && connection.firstCall == 0) {
            connection.firstCall = nanos;
        } else if (!fromClient && connection.firstAnswer == 0) {
            connection.firstAnswer = nanos;
        }
    }

    private void write(Connection connection, Half half, Packet packet, ByteBuffer frame) {
        connection.frames++;
        for (int at = 0; at < frame.limit(); at += TcpSegment.ENCODED_MAX) {
            int piece = Math.min(TcpSegment.ENCODED_MAX, frame.limit() - at);
            var segment =
                    new TcpSegment(
                            half.from,
                            half.to,
                            half.sequence,
                            1,
                            TcpSegment.ACK | TcpSegment.PSH,
                            piece,
                            frame.slice(at, piece));
            half.sequence += piece;
            try {
                aligned.write(Pcapng.packet(packet.nanos(), segment.encode()));
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }

    @Override
    public void gap(int number, boolean fromClient, Packet packet, long bytes) {
        connections.get(number - 1).faults.add("the capture lacks " + bytes + " bytes");
    }

    @Override
    public void closed(int connection, boolean fromClient, Packet packet, boolean reset) {
        // How a connection ended is the scenario's business.
    }
}
