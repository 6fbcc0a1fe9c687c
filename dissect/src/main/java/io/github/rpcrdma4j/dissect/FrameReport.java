package io.github.rpcrdma4j.dissect;

import java.util.List;

/**
 * A frame, or what else happened on a connection.
 *
 * @param packet the packet of the capture that completed it
 * @param nanos when, since 1970
 * @param fromInitiator who sent it
 * @param layers from the lowest to the highest
 */
public record FrameReport(
        long packet,
        long nanos,
        boolean fromInitiator,
        List<Layer> layers,
        List<Finding> findings) {}
