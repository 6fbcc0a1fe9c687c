package io.github.rpcrdma4j.rpcrdma.rfc5666;

import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.rpcrdma.metrics.Counted;
import io.github.rpcrdma4j.rpcrdma.profile.ClientProfile;
import io.github.rpcrdma4j.rpcrdma.profile.ServerProfile;
import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.AlignedPayload;
import java.time.Duration;

/**
 * How an endpoint speaks what RFC 8166 took out of RFC 5666: RDMA_MSGP, reply data that the client
 * fetches and RDMA_DONE, the configuration protocol, rounded lengths of Write chunks, errors of any
 * code. Both sides have to be told; and there are no calls both ways, since a message that has to
 * be fetched would not say for whom it is.
 *
 * <p>Data is fetched by the client for programs alone whose {@link UpperLayerBinding} lets it; then
 * calls offer no memory for results.
 *
 * @param align of which number of bytes, counted from the start of the Send, the data of long
 *     inline items is to be a multiple, 1 to 4096; 1: no RDMA_MSGP is sent
 * @param alignFrom the shortest item that is aligned, in bytes; no other opaque of a message may be
 *     as long, so messages whose other items are that long together are not padded
 * @param doneTimeout how long a client has to say that it has fetched its results; then its
 *     connection is closed and the memory taken back
 * @param exposedBytesMax the bytes from which on a server exposes nothing more on one connection,
 *     but has replies wait until some were fetched; so it holds one reply more than that
 * @param configures whether a client starts with the configuration protocol; with a server that
 *     does not speak it, calls are then made as by RFC 8166
 */
public record Rfc5666(
        int align, int alignFrom, Duration doneTimeout, long exposedBytesMax, boolean configures)
        implements WireProfile {
    /** Counts the RDMA_MSGP that are sent. */
    public static final Counted PADDED_MESSAGES = () -> "RDMA_MSGP";

    /** Aligned to 256 bytes from 512 on, half a minute, and configured. */
    public static final Rfc5666 DEFAULT = new Rfc5666();

    /** The defaults, as {@link WireProfile#find} finds them. */
    public Rfc5666() {
        this(256, 512, Duration.ofSeconds(30), 64L << 20, true);
    }

    /** Checks the settings. */
    public Rfc5666 {
        if (align < 1 || align > AlignedPayload.ALIGN_MAX) {
            throw new IllegalArgumentException("align must be 1 to " + AlignedPayload.ALIGN_MAX);
        }
        if (alignFrom < 1) {
            throw new IllegalArgumentException("alignFrom must be positive");
        }
        if (!doneTimeout.isPositive()) {
            throw new IllegalArgumentException("doneTimeout must be positive");
        }
        if (exposedBytesMax < 1) {
            throw new IllegalArgumentException("exposedBytesMax must be positive");
        }
    }

    /** Aligns long inline items. */
    public Rfc5666 withAlign(int bytes, int from) {
        return new Rfc5666(bytes, from, doneTimeout, exposedBytesMax, configures);
    }

    /** Bounds the time until RDMA_DONE. */
    public Rfc5666 withDoneTimeout(Duration changed) {
        return new Rfc5666(align, alignFrom, changed, exposedBytesMax, configures);
    }

    /** Bounds what a server exposes on one connection, in bytes. */
    public Rfc5666 withExposedBytesMax(long changed) {
        return new Rfc5666(align, alignFrom, doneTimeout, changed, configures);
    }

    /** Starts with the configuration protocol, or not. */
    public Rfc5666 withConfigures(boolean changed) {
        return new Rfc5666(align, alignFrom, doneTimeout, exposedBytesMax, changed);
    }

    @Override
    public String name() {
        return "RFC 5666";
    }

    /** With all replies to be fetched and one credit granted, there is one message more to come. */
    @Override
    public int spareReceives(int credits, int reverseCredits) {
        return 1;
    }

    @Override
    public long shortestTimeout() {
        return Timeouts.nanos(doneTimeout);
    }

    /** A reply to be fetched would look like a call of the server. */
    @Override
    public boolean callsBothWays() {
        return false;
    }

    @Override
    public ClientProfile client(ClientProfile.Setup setup) {
        return new Rfc5666Client(this, setup);
    }

    @Override
    public ServerProfile server(ServerProfile.Setup setup) {
        return new Rfc5666Server(this, setup);
    }
}
