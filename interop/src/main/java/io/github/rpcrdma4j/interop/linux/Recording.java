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
 * Reads the capture of a guest's network, and writes a copy with each frame in a packet of its own.
 *
 * <p>The emulator's user networking splits TCP streams at any byte. MPA recommends, but does not
 * require, that a frame starts with a packet (RFC 5044, Section 5). Some dissectors need that, so
 * they fail on the capture and work on the copy.
 */
final class Recording implements TcpReassembly.Watcher {
    private static final int ETHERNET = 1;

    private final OutputStream aligned;
    private final List<Connection> connections = new ArrayList<>();

    /** One direction of a connection. */
    private static final class Direction {
        private final Endpoint from;
        private final Endpoint to;
        private final DirectionObserver observer = new DirectionObserver(true);
        private int sequence = 1;

        private Direction(Endpoint from, Endpoint to) {
            this.from = from;
            this.to = to;
        }
    }

    /**
     * The findings of a connection. Times are in nanoseconds; 0 means that the event did not
     * happen.
     */
    static final class Connection {
        private final Direction up;
        private final Direction down;
        private long firstCall;
        private long firstAnswer;
        private long frames;
        private final List<String> faults = new ArrayList<>();

        private Connection(Endpoint client, Endpoint server) {
            up = new Direction(client, server);
            down = new Direction(server, client);
        }

        /** Records the reply's choice of CRCs, which is final (RFC 5044, Section 7.1). */
        private void agreed(MpaFrame reply) {
            up.observer.agreed(reply.crc());
            down.observer.agreed(reply.crc());
        }

        /**
         * Returns the nanoseconds from the client's first frame after the set-up to the server's
         * first; 0 if there was none.
         */
        long startNanos() {
            return firstAnswer == 0 ? 0 : firstAnswer - firstCall;
        }

        /** Returns the port of the server. */
        int port() {
            return down.from.port();
        }

        /** Returns the number of set-up frames and FPDUs in both directions. */
        long frames() {
            return frames;
        }

        /** Returns the faults of frames of either side. */
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
     * @param aligned the file for the copy
     * @return the iWARP connections
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
        var direction = fromClient ? connection.up : connection.down;
        direction.observer.add(bytes);
        for (var seen = direction.observer.next(); seen != null; seen = direction.observer.next()) {
            switch (seen) {
                case Seen.SetUp(var frame, _) -> {
                    if (!fromClient) {
                        connection.agreed(frame);
                    }
                    write(connection, direction, packet, ByteBuffer.wrap(frame.encode()));
                }
                case Seen.Segment segment -> {
                    start(connection, fromClient, packet.nanos());
                    if (!segment.isSound()) {
                        connection.faults.add(direction.from + " sent " + segment.faults());
                    }
                    write(connection, direction, packet, segment.fpdu().bytes());
                }
                case Seen.Lost(var why) -> {
                    connection.faults.add(direction.from + ": " + why);
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

    private void write(
            Connection connection, Direction direction, Packet packet, ByteBuffer frame) {
        connection.frames++;
        for (int at = 0; at < frame.limit(); at += TcpSegment.ENCODED_MAX) {
            int piece = Math.min(TcpSegment.ENCODED_MAX, frame.limit() - at);
            var segment =
                    new TcpSegment(
                            direction.from,
                            direction.to,
                            direction.sequence,
                            1,
                            TcpSegment.ACK | TcpSegment.PSH,
                            piece,
                            frame.slice(at, piece));
            direction.sequence += piece;
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
        // The scenario checks how connections end.
    }
}
