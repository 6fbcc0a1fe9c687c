package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.capture.Endpoint;
import io.github.rpcrdma4j.capture.Packet;
import io.github.rpcrdma4j.capture.PacketOrder;
import io.github.rpcrdma4j.capture.PacketReader;
import io.github.rpcrdma4j.capture.TcpReassembly;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Dissects captures. */
public final class Dissector {
    private Dissector() {}

    /**
     * Dissects a capture in one pass, in the order of the times of its packets.
     *
     * @param listsFrames whether to list frames without findings, each of which takes memory
     * @param document the document that applies where RFC 5666 and RFC 8166 differ
     * @throws IOException if the capture cannot be read from its source
     */
    public static Dissection dissect(
            PacketReader packets, boolean listsFrames, Version1Document document)
            throws IOException {
        var connections = new Connections(listsFrames, document);
        var reassembly = new TcpReassembly(connections);
        var order = new PacketOrder(packets);
        var first = order.next();
        for (var packet = first; packet != null; packet = order.next()) {
            if (order.late() > 0) {
                connections.all.forEach(ConnectionDissector::distrust);
            }
            reassembly.add(packet);
        }
        reassembly.finish();
        var reports = new ArrayList<ConnectionReport>();
        long others = 0;
        for (var connection : connections.all) {
            if (connection.isIwarp()) {
                reports.add(connection.report());
            } else {
                others++;
            }
        }
        return new Dissection(
                reassembly.counts(),
                order.moved(),
                order.late(),
                first == null ? 0 : first.nanos(),
                packets.failure(),
                others,
                List.copyOf(reports));
    }

    private static final class Connections implements TcpReassembly.Watcher {
        private final boolean listsFrames;
        private final Version1Document document;
        private final List<ConnectionDissector> all = new ArrayList<>();

        private Connections(boolean listsFrames, Version1Document document) {
            this.listsFrames = listsFrames;
            this.document = document;
        }

        @Override
        public void opened(int connection, Endpoint client, Endpoint server, boolean whole) {
            all.add(
                    new ConnectionDissector(
                            connection, client, server, whole, listsFrames, document));
        }

        @Override
        public void data(int connection, boolean fromClient, Packet packet, ByteBuffer bytes) {
            all.get(connection - 1).data(fromClient, packet, bytes);
        }

        @Override
        public void gap(int connection, boolean fromClient, Packet packet, long bytes) {
            all.get(connection - 1).gap(fromClient, packet, bytes);
        }

        @Override
        public void closed(int connection, boolean fromClient, Packet packet, boolean reset) {
            all.get(connection - 1).closed(fromClient, packet, reset);
        }
    }
}
