package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import java.time.Duration;

/**
 * The limits of a gateway.
 *
 * @param resultsMax the longest results that the gateway makes room for, in bytes, where it cannot
 *     read the call
 * @param callTimeout the time after which a call without a reply ends both connections
 */
public record GatewayLimits(long resultsMax, Duration callTimeout) {
    /** One MiB of data with 64 KiB around it, and an hour for a call. */
    public static final GatewayLimits DEFAULT =
            new GatewayLimits((1 << 20) + (64 << 10), Duration.ofHours(1));

    /**
     * Checks the limits.
     *
     * @throws IllegalArgumentException if one is out of range
     */
    public GatewayLimits {
        if (resultsMax < 0 || resultsMax > RpcCall.RESULTS_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "resultsMax must be 0 to " + RpcCall.RESULTS_BYTES_MAX + ": " + resultsMax);
        }
        if (!callTimeout.isPositive()) {
            throw new IllegalArgumentException("callTimeout must be positive: " + callTimeout);
        }
    }
}
