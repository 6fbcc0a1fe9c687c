package io.github.rpcrdma4j.rpcrdma.connect;

import java.time.Duration;
import java.util.Optional;

/**
 * Notices a peer that keeps posted work waiting: for as long as the oldest of it stays the same,
 * nothing behind it is done either. Times are arguments, in nanoseconds of any origin. Guarded by
 * the lock of the endpoint.
 */
public final class StallWatch {
    private final Endpoint endpoint;
    private final long takeNanos;
    private final long giveNanos;
    private long progress = -1;
    private long since;

    /**
     * @param takeTimeout how long the peer may take nothing
     * @param giveTimeout how long it may give no data for an RDMA Read
     */
    public StallWatch(Endpoint endpoint, Duration takeTimeout, Duration giveTimeout) {
        this.endpoint = endpoint;
        this.takeNanos = takeTimeout.toNanos();
        this.giveNanos = giveTimeout.toNanos();
    }

    /** Why the connection is to be closed; empty if nothing has waited for too long. */
    public Optional<String> check(long now) {
        var awaited = endpoint.awaited();
        if (awaited == Endpoint.Awaited.NOTHING || endpoint.workDone() != progress) {
            progress = endpoint.workDone();
            since = now;
            return Optional.empty();
        }
        return switch (awaited) {
            case NOTHING -> Optional.empty();
            case TAKING ->
                    now - since >= takeNanos
                            ? Optional.of("the peer takes nothing that is sent to it")
                            : Optional.empty();
            case DATA ->
                    now - since >= giveNanos
                            ? Optional.of("the peer does not answer an RDMA Read")
                            : Optional.empty();
        };
    }
}
