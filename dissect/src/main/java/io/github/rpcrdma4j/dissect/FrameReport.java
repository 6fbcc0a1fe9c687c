package io.github.rpcrdma4j.dissect;

import java.util.List;

/**
 * A frame or another event of a connection.
 *
 * @param packet the number of the packet that completed it
 * @param nanos when it was captured, in nanoseconds since 1970
 * @param fromInitiator whether the iWARP initiator sent it
 * @param layers its layers, from the lowest to the highest
 * @param findings the faults in it
 */
public record FrameReport(
        long packet,
        long nanos,
        boolean fromInitiator,
        List<Layer> layers,
        List<Finding> findings) {}
