package io.github.rpcrdma4j.rpcrdma.options;

import io.github.rpcrdma4j.rpcrdma.wire.PrivateData;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * How an endpoint behaves. Start from {@link #DEFAULT} and change what matters.
 *
 * @param credits what a client asks for, and what a server grants: calls in flight on one
 *     connection, 1 to 16384
 * @param reverseCredits the same for calls that a server makes on the connections of its clients
 *     (RFC 8167-4.1-1, 8167-4.1-2)
 * @param inlineSend the longest Send to make, in octets; 1024 to 262144, a multiple of 1024
 * @param inlineReceive the longest Send to take, likewise; every posted receive has this size
 * @param remoteInvalidation whether the peer may invalidate handles with its replies (RFC 8797,
 *     Section 4.1)
 * @param segmentMax the longest segment that a requester offers, in octets
 * @param callBytesMax the most octets of Read chunks that a responder fetches for one call
 * @param connectionBytesMax the most octets that a responder fetches at a time for one connection
 * @param connectionsMax the most connections that a responder holds
 * @param setupTimeout the bound on setting up a connection
 * @param peerLimits what a server bears from one client
 * @param idleTimeout how long a connection may have neither a call in progress nor a message until
 *     a server closes it; it is closed earlier if another needs what it holds. A Linux client gives
 *     an idle connection up after five minutes.
 * @param keepAlive how long a server may be silent while calls of a client are outstanding until it
 *     is asked for a sign of life, and how long it has for that; zero: it may be silent for ever.
 *     Otherwise the client keeps one credit back, for the question.
 * @param rfc5666 how what RFC 8166 took out is spoken; empty: it is not
 * @param version2 how version 2 is spoken; empty: it is not
 */
public record RpcRdmaOptions(
        int credits,
        int reverseCredits,
        int inlineSend,
        int inlineReceive,
        boolean remoteInvalidation,
        long segmentMax,
        long callBytesMax,
        long connectionBytesMax,
        int connectionsMax,
        Duration setupTimeout,
        PeerLimits peerLimits,
        Duration idleTimeout,
        Duration keepAlive,
        Optional<Rfc5666> rfc5666,
        Optional<Version2> version2) {
    private static final int CREDITS_MAX = 16384;
    private static final int KIB = 1024;
    private static final int INLINE_MAX = 256 * KIB;

    /** A page and all that can be around it, so that one Send carries it (ADR 20). */
    private static final int INLINE = 5 * KIB;

    /** 5120 octets inline, 64 calls in flight. */
    public static final RpcRdmaOptions DEFAULT =
            new RpcRdmaOptions(
                    64,
                    16,
                    INLINE,
                    INLINE,
                    true,
                    1L << 30,
                    8L << 20,
                    64L << 20,
                    4096,
                    Duration.ofSeconds(10),
                    PeerLimits.DEFAULT,
                    Duration.ofMinutes(6),
                    Duration.ofSeconds(30),
                    Optional.empty(),
                    Optional.empty());

    public RpcRdmaOptions {
        // Nobody grants zero (RFC 8166-3.3.1-3, 5666-3.3-2).
        requireCredits(credits, "credits");
        requireCredits(reverseCredits, "reverseCredits");
        requireInline(inlineSend, "inlineSend");
        requireInline(inlineReceive, "inlineReceive");
        if (segmentMax < 1 || segmentMax > 0xffff_ffffL) {
            throw new IllegalArgumentException("segmentMax must be 1 to 2^32-1");
        }
        if (callBytesMax < 1 || callBytesMax > connectionBytesMax) {
            throw new IllegalArgumentException(
                    "callBytesMax must be positive and no more than connectionBytesMax");
        }
        if (connectionsMax < 1) {
            throw new IllegalArgumentException("connectionsMax must be positive");
        }
        if (!idleTimeout.isPositive()) {
            throw new IllegalArgumentException("idleTimeout must be positive");
        }
        if (keepAlive.isNegative()) {
            throw new IllegalArgumentException("keepAlive must not be negative");
        }
        if (rfc5666.isPresent() && version2.isPresent()) {
            throw new IllegalArgumentException("RFC 5666 is version 1: choose one");
        }
        if (peerLimits.bytesMax()
                < 2 * callBytesMax
                        + ConnectionSizes.receiveBytes(
                                credits,
                                reverseCredits,
                                ConnectionSizes.receiveLength(inlineReceive, version2))) {
            throw new IllegalArgumentException(
                    "peerLimits have no room for one connection with one call");
        }
    }

    /** What a connection takes by these options. */
    public ConnectionSizes sizes() {
        return new ConnectionSizes(this);
    }

    private static void requireCredits(int credits, String name) {
        if (credits < 1 || credits > CREDITS_MAX) {
            throw new IllegalArgumentException(name + " must be 1 to " + CREDITS_MAX);
        }
    }

    private static void requireInline(int size, String name) {
        // RFC 8166-3.3.3-2.
        if (size < KIB || size > INLINE_MAX || size % KIB != 0) {
            throw new IllegalArgumentException(
                    name + " must be a multiple of 1024 from 1024 to 262144: " + size);
        }
    }

    /** What this side says when it connects. */
    public PrivateData privateData() {
        return new PrivateData(remoteInvalidation, inlineSend, inlineReceive);
    }

    public RpcRdmaOptions withCredits(int changed) {
        return changed(draft -> draft.credits = changed);
    }

    public RpcRdmaOptions withReverseCredits(int changed) {
        return changed(draft -> draft.reverseCredits = changed);
    }

    public RpcRdmaOptions withInline(int send, int receive) {
        return changed(
                draft -> {
                    draft.inlineSend = send;
                    draft.inlineReceive = receive;
                });
    }

    public RpcRdmaOptions withRemoteInvalidation(boolean changed) {
        return changed(draft -> draft.remoteInvalidation = changed);
    }

    public RpcRdmaOptions withSegmentMax(long changed) {
        return changed(draft -> draft.segmentMax = changed);
    }

    public RpcRdmaOptions withSetupTimeout(Duration changed) {
        return changed(draft -> draft.setupTimeout = changed);
    }

    public RpcRdmaOptions withPeerLimits(PeerLimits changed) {
        return changed(draft -> draft.peerLimits = changed);
    }

    public RpcRdmaOptions withIdleTimeout(Duration changed) {
        return changed(draft -> draft.idleTimeout = changed);
    }

    /** Bounds the connections that a server holds. */
    public RpcRdmaOptions withConnectionsMax(int changed) {
        return changed(draft -> draft.connectionsMax = changed);
    }

    public RpcRdmaOptions withKeepAlive(Duration changed) {
        return changed(draft -> draft.keepAlive = changed);
    }

    /** Speaks what RFC 8166 took out, to a peer that does too. */
    public RpcRdmaOptions withRfc5666(Rfc5666 how) {
        return changed(draft -> draft.rfc5666 = Optional.of(how));
    }

    /** Speaks version 2, to a peer that does too. */
    public RpcRdmaOptions withVersion2(Version2 how) {
        return changed(draft -> draft.version2 = Optional.of(how));
    }

    /** Speaks version 1 alone. */
    public RpcRdmaOptions withoutVersion2() {
        return changed(draft -> draft.version2 = Optional.empty());
    }

    private RpcRdmaOptions changed(Consumer<Draft> change) {
        var draft = new Draft(this);
        change.accept(draft);
        return draft.options();
    }

    /** What can be changed, on its way from one set of options to the next. */
    private static final class Draft {
        private final RpcRdmaOptions from;
        private int credits;
        private int reverseCredits;
        private int inlineSend;
        private int inlineReceive;
        private boolean remoteInvalidation;
        private long segmentMax;
        private Duration setupTimeout;
        private int connectionsMax;
        private PeerLimits peerLimits;
        private Duration idleTimeout;
        private Duration keepAlive;
        private Optional<Rfc5666> rfc5666;
        private Optional<Version2> version2;

        private Draft(RpcRdmaOptions from) {
            this.from = from;
            credits = from.credits;
            reverseCredits = from.reverseCredits;
            inlineSend = from.inlineSend;
            inlineReceive = from.inlineReceive;
            remoteInvalidation = from.remoteInvalidation;
            segmentMax = from.segmentMax;
            setupTimeout = from.setupTimeout;
            connectionsMax = from.connectionsMax;
            peerLimits = from.peerLimits;
            idleTimeout = from.idleTimeout;
            keepAlive = from.keepAlive;
            rfc5666 = from.rfc5666;
            version2 = from.version2;
        }

        private RpcRdmaOptions options() {
            return new RpcRdmaOptions(
                    credits,
                    reverseCredits,
                    inlineSend,
                    inlineReceive,
                    remoteInvalidation,
                    segmentMax,
                    from.callBytesMax,
                    from.connectionBytesMax,
                    connectionsMax,
                    setupTimeout,
                    peerLimits,
                    idleTimeout,
                    keepAlive,
                    rfc5666,
                    version2);
        }
    }
}
