package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.capture.TcpReassembly;
import java.util.List;
import java.util.Optional;

/**
 * The contents of a capture.
 *
 * @param packets the counts of packets
 * @param packetsMoved how many packets were behind one of a later time, and were put in order
 * @param packetsLate how many of these were too far out of order for that
 * @param startNanos when the first packet was captured, in nanoseconds since 1970
 * @param failure why the file could not be read to its end; empty if it could
 * @param otherConnections how many TCP connections are not iWARP
 * @param connections the iWARP connections
 */
public record Dissection(
        TcpReassembly.Counts packets,
        long packetsMoved,
        long packetsLate,
        long startNanos,
        Optional<String> failure,
        long otherConnections,
        List<ConnectionReport> connections) {
    /**
     * Returns this dissection with one connection alone.
     *
     * @throws IllegalArgumentException if there is no connection with that number
     */
    public Dissection only(int number) {
        var found = connections.stream().filter(each -> each.number() == number).toList();
        if (found.isEmpty()) {
            throw new IllegalArgumentException(
                    "there is no connection " + number + " of iWARP in the capture");
        }
        return new Dissection(
                packets, packetsMoved, packetsLate, startNanos, failure, otherConnections, found);
    }
}
