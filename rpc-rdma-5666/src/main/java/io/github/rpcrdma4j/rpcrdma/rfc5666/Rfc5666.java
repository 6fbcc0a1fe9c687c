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
 * The profile of what RFC 8166 removed from RFC 5666: RDMA_MSGP, reply data that the client
 * fetches, RDMA_DONE, the configuration protocol, rounded lengths of Write chunks, and errors of
 * any code. A connection has calls in one direction only, since a message that has to be fetched
 * does not show its direction. Either side uses it only if the configuration protocol shows that
 * the other one supports it, and follows RFC 8166 otherwise.
 *
 * <p>A client fetches reply data only for programs whose {@link UpperLayerBinding} allows it. Calls
 * of these programs offer no memory for results. RDMA_DONE invalidates a handle of the results if
 * the server has answered CONF_RDMA, and the private data of both sides allows it (RFC 8797,
 * Section 4.1).
 *
 * @param align the alignment of the data of long inline items, in bytes from the start of the Send,
 *     1 to 4096; 1: no RDMA_MSGP is sent
 * @param alignFrom the shortest item that is aligned, in bytes. No other opaque of a message may be
 *     as long, so a message is not padded if all its other data is that long.
 * @param doneTimeout the time that a client has to say that it has fetched its results; then the
 *     server closes the connection and takes the memory back
 * @param exposedBytesMax the number of exposed bytes at which a server exposes nothing more on one
 *     connection. Further replies wait until some were fetched; the last exposed reply may exceed
 *     the limit.
 * @param configures whether the sides learn of each other by the configuration protocol: a client
 *     starts with it, and a server lets only clients that used it fetch results. Without it, both
 *     sides must be known to support RFC 5666.
 */
public record Rfc5666(
        int align, int alignFrom, Duration doneTimeout, long exposedBytesMax, boolean configures)
        implements WireProfile {
    /** Counts sent RDMA_MSGP messages. */
    public static final Counted PADDED_MESSAGES = () -> "padded messages (RDMA_MSGP)";

    /**
     * Aligns items of 512 bytes or more to 256 bytes, waits 30 seconds, exposes 64 MiB, configures.
     */
    public static final Rfc5666 DEFAULT = new Rfc5666();

    /** Creates the default profile, for {@link WireProfile#find}. */
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

    /**
     * Returns these options with another alignment of long inline items, in bytes, and another
     * shortest item that is aligned.
     */
    public Rfc5666 withAlign(int bytes, int from) {
        return new Rfc5666(bytes, from, doneTimeout, exposedBytesMax, configures);
    }

    /** Returns these options with another time that a client has to send RDMA_DONE. */
    public Rfc5666 withDoneTimeout(Duration changed) {
        return new Rfc5666(align, alignFrom, changed, exposedBytesMax, configures);
    }

    /** Returns these options with another limit of exposed bytes on one connection. */
    public Rfc5666 withExposedBytesMax(long changed) {
        return new Rfc5666(align, alignFrom, doneTimeout, changed, configures);
    }

    /** Returns these options with or without the configuration protocol. */
    public Rfc5666 withConfigures(boolean changed) {
        return new Rfc5666(align, alignFrom, doneTimeout, exposedBytesMax, changed);
    }

    @Override
    public String name() {
        return "RFC 5666";
    }

    /**
     * Returns 1: one credit is granted even if every reply is exposed, so one more message may
     * arrive.
     */
    @Override
    public int spareReceives(int credits, int reverseCredits) {
        return 1;
    }

    @Override
    public long shortestTimeout() {
        return Timeouts.nanos(doneTimeout);
    }

    /** Returns false: a reply to be fetched would look like a call of the server. */
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
