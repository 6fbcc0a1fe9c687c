package io.github.rpcrdma4j.rpcrdma.options;

import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import io.github.rpcrdma4j.rpcrdma.responder.Responder;
import io.github.rpcrdma4j.rpcrdma.wire.PrivateData;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.time.Duration;

/**
 * The options of a client or a server. Start from {@link #DEFAULT} and change single options.
 * Messages of exceptions name the settings of the builders of clients and servers.
 *
 * @param credits the credits that a client requests, or a server grants, on one connection: 1 to
 *     16384
 * @param callBackCredits the credits for calls that a server makes on the connections of its
 *     clients (RFC 8167-4.1-1, 8167-4.1-2)
 * @param inlineSend the longest Send to make, in bytes; 1024 to 262144, a multiple of 1024
 * @param inlineReceive the longest Send to accept, likewise; every posted receive has this size
 * @param remoteInvalidation whether the peer may invalidate handles with its replies (RFC 8797,
 *     Section 4.1)
 * @param segmentMax the longest segment that a requester offers, in bytes
 * @param fetchedBytesPerCall the most bytes of Read chunks that a responder fetches for one call
 * @param fetchedBytesPerConnection the most bytes that a responder fetches at a time for one
 *     connection
 * @param connectionsMax the most connections that a responder holds
 * @param connectTimeout the time limit for setting up a connection
 * @param peerLimits the limits of one client at a server
 * @param idleTimeout how long a connection may have neither a call in progress nor a message until
 *     a server closes it; the server closes it earlier if another connection needs its memory. A
 *     Linux client closes an idle connection after five minutes.
 * @param keepAlive how long a server may be silent while calls are outstanding; then the client
 *     sends a probe, which the server has the same time to answer. Zero sets no limit. Otherwise
 *     the client reserves one credit for the probe.
 * @param idleProbe how long a server may be silent on an idle connection until the client sends a
 *     probe there as well, which the server has {@code keepAlive} to answer. Zero: never.
 * @param profile the wire profile: RFC 8166, or one of another module
 */
public record RpcRdmaOptions(
        int credits,
        int callBackCredits,
        int inlineSend,
        int inlineReceive,
        boolean remoteInvalidation,
        long segmentMax,
        long fetchedBytesPerCall,
        long fetchedBytesPerConnection,
        int connectionsMax,
        Duration connectTimeout,
        PeerLimits peerLimits,
        Duration idleTimeout,
        Duration keepAlive,
        Duration idleProbe,
        WireProfile profile)
        implements WireProfile.Settings {
    private static final int CREDITS_MAX = 16384;
    private static final int KIB = 1024;
    private static final int INLINE_MAX = 256 * KIB;

    /** The default threshold: one Send carries a page with all its headers (ADR 20). */
    private static final int INLINE = 5 * KIB;

    /** The defaults: 5120 bytes inline, 64 calls outstanding. */
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
                    Duration.ZERO,
                    WireProfile.RFC_8166);

    public RpcRdmaOptions {
        // A grant of zero credits is illegal (RFC 8166-3.3.1-3, 5666-3.3-2).
        requireCredits(credits, "credits");
        requireCredits(callBackCredits, "callBackCredits");
        requireInline(inlineSend, "send");
        requireInline(inlineReceive, "receive");
        if (segmentMax < 1 || segmentMax > 0xffff_ffffL) {
            throw new IllegalArgumentException("segmentMax must be 1 to 2^32-1");
        }
        if (fetchedBytesPerCall < 1 || fetchedBytesPerCall > fetchedBytesPerConnection) {
            throw new IllegalArgumentException(
                    "fetchedBytesPerCall must be positive and no more than"
                            + " fetchedBytesPerConnection");
        }
        if (!connectTimeout.isPositive()) {
            throw new IllegalArgumentException("connectTimeout must be positive");
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
        if (idleProbe.isNegative() || idleProbe.isPositive() && keepAlive.isZero()) {
            throw new IllegalArgumentException(
                    "idleProbe must not be negative, and needs a keepAlive");
        }
    }

    /**
     * Checks the limits that only a server has.
     *
     * @throws IllegalArgumentException if the limits of one client have no room for one connection
     *     with one call
     */
    public void requireRoomForAClient() {
        long least = sizes().largestCall() + sizes().receiveMemory();
        if (peerLimits.bytesMax() < least) {
            throw new IllegalArgumentException(
                    "limitsPerClient must allow "
                            + least
                            + " bytes, for one connection with one call: "
                            + peerLimits.bytesMax());
        }
    }

    /** Returns the bounds on the calls of a client at its server. */
    public Responder.Bounds bounds() {
        return new Responder.Bounds(credits, fetchedBytesPerCall, fetchedBytesPerConnection);
    }

    /** Returns the bounds on the calls of a server at its client. */
    public Responder.Bounds reverseBounds() {
        return new Responder.Bounds(
                callBackCredits, fetchedBytesPerCall, fetchedBytesPerConnection);
    }

    /** Returns how much memory a connection takes with these options. */
    public Sizes sizes() {
        return new Sizes(this);
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
                    "inlineThresholds: "
                            + name
                            + " must be a multiple of 1024 from 1024 to 262144: "
                            + size);
        }
    }

    /** Returns the private data that this side sends when it connects. */
    public PrivateData privateData() {
        return new PrivateData(remoteInvalidation, inlineSend, inlineReceive);
    }

    /** Returns these options with another wire profile, which the peer must use, too. */
    public RpcRdmaOptions withProfile(WireProfile changed) {
        return toBuilder().profile(changed).build();
    }

    @Override
    public int receiveBytes() {
        return sizes().receiveBytes();
    }

    /**
     * Returns these options as far as a provider can follow them: peers may invalidate handles only
     * if all of its handles allow that (RFC 8797-3.2-1).
     */
    public RpcRdmaOptions limitedTo(RdmaProvider provider) {
        return remoteInvalidation && !provider.allowsRemoteInvalidation()
                ? toBuilder().remoteInvalidation(false).build()
                : this;
    }

    /**
     * Returns a builder that starts with these options. It checks them in {@link Builder#build}.
     */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** The memory of one connection by its options: its receives, and memory for short replies. */
    public static final class Sizes {
        /** The number of receives before the first message, so that a silent peer costs little. */
        private static final int FIRST_RECEIVES = 8;

        /** The memory that is kept for each credit, to write short replies to. */
        public static final int REPLY_BYTES = 8 * KIB;

        private final RpcRdmaOptions options;

        Sizes(RpcRdmaOptions options) {
            this.options = options;
        }

        /** Returns how many receives are posted for calls until the first message arrives. */
        public int firstReceives() {
            return Math.min(options.credits(), FIRST_RECEIVES);
        }

        /** Returns the bytes of the {@link #firstReceives}. */
        public long firstReceiveMemory() {
            return (long) firstReceives() * receiveBytes();
        }

        /** Returns how many more bytes a connection takes when the first message arrives. */
        public long laterReceiveMemory() {
            return receiveMemory() - firstReceiveMemory();
        }

        /** Returns the length of every posted receive, in bytes. */
        public int receiveBytes() {
            return options.profile().receiveBytes(options.inlineReceive());
        }

        /** Returns the most receives that are posted for one connection. */
        public int receives() {
            return options.credits()
                    + options.callBackCredits()
                    + options.profile().spareReceives(options.credits(), options.callBackCredits());
        }

        /**
         * Returns how many bytes one connection of a server takes without chunks: its receives, and
         * the memory that it keeps for short replies.
         */
        public long receiveMemory() {
            return (long) receiveBytes() * receives() + (long) REPLY_BYTES * options.credits();
        }

        /** Returns the most bytes that one call counts at a server: arguments and results. */
        public long largestCall() {
            return 2 * options.fetchedBytesPerCall();
        }
    }

    /**
     * A builder of options. Each method is named like the component that it sets. Only one thread
     * may use it.
     */
    public static final class Builder {
        private int credits;
        private int callBackCredits;
        private int inlineSend;
        private int inlineReceive;
        private boolean remoteInvalidation;
        private long segmentMax;
        private long fetchedBytesPerCall;
        private long fetchedBytesPerConnection;
        private int connectionsMax;
        private Duration connectTimeout;
        private PeerLimits peerLimits;
        private Duration idleTimeout;
        private Duration keepAlive;
        private Duration idleProbe;
        private WireProfile profile;

        private Builder(RpcRdmaOptions from) {
            credits = from.credits;
            callBackCredits = from.callBackCredits;
            inlineSend = from.inlineSend;
            inlineReceive = from.inlineReceive;
            remoteInvalidation = from.remoteInvalidation;
            segmentMax = from.segmentMax;
            fetchedBytesPerCall = from.fetchedBytesPerCall;
            fetchedBytesPerConnection = from.fetchedBytesPerConnection;
            connectionsMax = from.connectionsMax;
            connectTimeout = from.connectTimeout;
            peerLimits = from.peerLimits;
            idleTimeout = from.idleTimeout;
            keepAlive = from.keepAlive;
            idleProbe = from.idleProbe;
            profile = from.profile;
        }

        public Builder credits(int changed) {
            credits = changed;
            return this;
        }

        public Builder callBackCredits(int changed) {
            callBackCredits = changed;
            return this;
        }

        public Builder inlineSend(int changed) {
            inlineSend = changed;
            return this;
        }

        public Builder inlineReceive(int changed) {
            inlineReceive = changed;
            return this;
        }

        public Builder remoteInvalidation(boolean changed) {
            remoteInvalidation = changed;
            return this;
        }

        public Builder segmentMax(long changed) {
            segmentMax = changed;
            return this;
        }

        public Builder fetchedBytesPerCall(long changed) {
            fetchedBytesPerCall = changed;
            return this;
        }

        public Builder fetchedBytesPerConnection(long changed) {
            fetchedBytesPerConnection = changed;
            return this;
        }

        public Builder connectionsMax(int changed) {
            connectionsMax = changed;
            return this;
        }

        public Builder connectTimeout(Duration changed) {
            connectTimeout = changed;
            return this;
        }

        public Builder peerLimits(PeerLimits changed) {
            peerLimits = changed;
            return this;
        }

        public Builder idleTimeout(Duration changed) {
            idleTimeout = changed;
            return this;
        }

        public Builder keepAlive(Duration changed) {
            keepAlive = changed;
            return this;
        }

        public Builder idleProbe(Duration changed) {
            idleProbe = changed;
            return this;
        }

        public Builder profile(WireProfile changed) {
            profile = changed;
            return this;
        }

        /** Returns the limits of one client as set so far. */
        public PeerLimits peerLimits() {
            return peerLimits;
        }

        /**
         * Returns the options.
         *
         * @throws IllegalArgumentException if an option is out of its range, or two exclude each
         *     other
         */
        public RpcRdmaOptions build() {
            return new RpcRdmaOptions(
                    credits,
                    callBackCredits,
                    inlineSend,
                    inlineReceive,
                    remoteInvalidation,
                    segmentMax,
                    fetchedBytesPerCall,
                    fetchedBytesPerConnection,
                    connectionsMax,
                    connectTimeout,
                    peerLimits,
                    idleTimeout,
                    keepAlive,
                    idleProbe,
                    profile);
        }
    }
}
