package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.capture.TcpReassembly;
import java.util.List;
import java.util.Optional;

/**
 * All that a capture holds.
 *
 * @param packets counts
 * @param startNanos when the first packet was captured, since 1970
 * @param trouble why the file could not be read to its end
 * @param otherConnections TCP connections that are not iWARP
 * @param connections those that are
 */
public record Dissection(
        TcpReassembly.Counts packets,
        long startNanos,
        Optional<String> trouble,
        long otherConnections,
        List<ConnectionReport> connections) {
    /**
     * This dissection with one connection alone.
     *
     * @throws IllegalArgumentException if there is none of that number
     */
    public Dissection only(int number) {
        var found = connections.stream().filter(each -> each.number() == number).toList();
        if (found.isEmpty()) {
            throw new IllegalArgumentException(
                    "there is no connection " + number + " of iWARP in the capture");
        }
        return new Dissection(packets, startNanos, trouble, otherConnections, found);
    }
}
