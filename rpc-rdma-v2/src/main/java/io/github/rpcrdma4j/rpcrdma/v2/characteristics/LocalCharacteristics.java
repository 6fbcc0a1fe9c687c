package io.github.rpcrdma4j.rpcrdma.v2.characteristics;

import io.github.rpcrdma4j.rpcrdma.v2.wire.BufferStructure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReadChunks;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.Reverse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.Transmissions;

/**
 * The characteristics of this endpoint.
 *
 * @param receives how its receive buffers are built; their length is also its receive size, so the
 *     two agree (RTR-8.3-1)
 * @param acceptsInvalidation whether it accepts Send With Invalidate as a requester
 * @param reverse how far it serves calls in the reverse direction
 * @param transmissions bits of {@link Transmissions}
 * @param requestMax the most transmissions of a request that it accepts
 * @param responseMax the most transmissions of a response that it makes
 * @param readChunks bits of {@link ReadChunks}
 * @param readChunkHoldMillis how long it keeps a Read chunk, in milliseconds; 0 is not sent
 */
public record LocalCharacteristics(
        BufferStructure receives,
        boolean acceptsInvalidation,
        Reverse reverse,
        int transmissions,
        long requestMax,
        long responseMax,
        int readChunks,
        long readChunkHoldMillis) {}
