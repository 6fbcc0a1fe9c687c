package io.github.rpcrdma4j.rpcrdma.v2;

import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import io.github.rpcrdma4j.rpcrdma.requester.Requester;
import io.github.rpcrdma4j.rpcrdma.responder.Responder;
import io.github.rpcrdma4j.rpcrdma.v2.characteristics.LocalCharacteristics;
import io.github.rpcrdma4j.rpcrdma.v2.characteristics.VersionProbe;
import io.github.rpcrdma4j.rpcrdma.v2.connection.CharacteristicsExchange;
import io.github.rpcrdma4j.rpcrdma.v2.connection.Version2Receiver;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies.ReplyChunks;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.requester.Version2Requester;
import io.github.rpcrdma4j.rpcrdma.v2.requester.Version2Setting;
import io.github.rpcrdma4j.rpcrdma.v2.responder.Version2Responder;
import io.github.rpcrdma4j.rpcrdma.v2.wire.BufferStructure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.BufferStructure.Group;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReadChunks;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.Reverse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.Transmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Extension;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;

/**
 * The characteristics of an endpoint of version 2, derived from its options.
 *
 * <p>Tests: {@code RequestsByHandTest}, {@code HeadersByHandTest}.
 */
final class Version2Side {
    private static final int TRANSMISSIONS =
            Transmissions.REQUESTS
                    | Transmissions.RESPONSES
                    | Transmissions.CONTINUATIONS
                    | Transmissions.TRAILER;

    private static final int POOL_ALIGNMENT = 64;

    private final WireProfile.Settings options;
    private final Version2 version2;
    private final boolean callsBothWays;

    /**
     * @param callsBothWays whether this side serves or makes calls in the reverse direction
     */
    Version2Side(Version2 version2, WireProfile.Settings options, boolean callsBothWays) {
        this.version2 = version2;
        this.options = options;
        this.callsBothWays = callsBothWays;
    }

    private LocalCharacteristics local() {
        var sends = version2.transmissions();
        return new LocalCharacteristics(
                receives(),
                options.remoteInvalidation(),
                callsBothWays ? Reverse.SIZE_LIMITED : Reverse.NONE,
                sends.isPresent() ? TRANSMISSIONS : 0,
                sends.map(Version2.Transmissions::requestMax).orElse(1),
                sends.map(Version2.Transmissions::responseMax).orElse(1),
                version2.fetchedReplies().isPresent() ? readChunks() : 0,
                version2.fetchedReplies().map(fetched -> fetched.hold().toMillis()).orElse(0L));
    }

    /** Returns the Read chunk features of this side, as a requester and as a responder. */
    private int readChunks() {
        int always =
                ReadChunks.FETCHES
                        | ReadChunks.EXPOSES
                        | ReadChunks.ACCEPTS_CALLS_WITH_NOTICES
                        | ReadChunks.ACKNOWLEDGES;
        return options.remoteInvalidation()
                ? always | ReadChunks.ACCEPTS_INVALIDATION | ReadChunks.INVALIDATES
                : always;
    }

    /**
     * Returns how receives are built. Each is one piece of memory that holds the segments one after
     * the other; its scatter list would be just these segments (RTR-7.2-2).
     */
    private BufferStructure receives() {
        var groups = new ArrayList<Group>();
        groups.add(new Group(1, options.inlineReceive(), 0, 0));
        version2.transmissions()
                .filter(sends -> sends.segments() > 0)
                .ifPresent(
                        sends ->
                                groups.add(
                                        new Group(
                                                sends.segments(),
                                                sends.segmentBytes(),
                                                alignment(sends.segmentBytes()),
                                                Group.PLACEMENT)));
        return new BufferStructure(options.receiveBytes(), groups);
    }

    /**
     * Returns the alignment that memory of the pool has and consecutive segments keep (RTR-7.2-3).
     */
    private static int alignment(int segmentBytes) {
        return Math.min(POOL_ALIGNMENT, Integer.lowestOneBit(segmentBytes));
    }

    private Set<Extension> extensions() {
        var extensions = EnumSet.of(Extension.CHARACTERISTICS);
        if (version2.transmissions().isPresent()) {
            extensions.add(Extension.TRANSMISSIONS);
            extensions.add(Extension.TRAILER);
        }
        if (version2.fetchedReplies().isPresent()) {
            extensions.add(Extension.READ_CHUNKS);
        }
        return extensions;
    }

    /**
     * Creates the receiver of all messages of a connection.
     *
     * @param inUse returns whether a call has that XID
     * @param versionEvents receives what a message says about the version that the peer speaks
     * @param changed runs when characteristics of the peer may have changed
     */
    Version2Receiver receiver(
            WireProfile.Setup setup,
            IntPredicate inUse,
            Consumer<VersionProbe.Event> versionEvents,
            Runnable changed) {
        var last = new int[] {setup.random().nextInt()};
        var self = new Version2Receiver[1];
        var wanted = version2.wantedReceive();
        var exchange =
                new CharacteristicsExchange(
                        local(),
                        extensions(),
                        options.credits(),
                        version2.receiveMax(),
                        wanted.isPresent()
                                ? OptionalLong.of(wanted.getAsInt())
                                : OptionalLong.empty(),
                        () -> {
                            do {
                                last[0]++;
                            } while (inUse.test(last[0]));
                            return last[0];
                        },
                        size -> {
                            if (!setup.takeMoreReceives((int) size)) {
                                return false;
                            }
                            setup.endpoint().growReceives((int) size, () -> self[0].drained());
                            return true;
                        },
                        changed);
        self[0] =
                new Version2Receiver(
                        setup.endpoint(),
                        setup.counters(),
                        exchange,
                        options.credits(),
                        versionEvents);
        return self[0];
    }

    /**
     * Makes a requester speak version 2.
     *
     * @param clock returns nanoseconds of any origin, to measure round trips
     */
    Version2Requester speak(
            Requester requester,
            Endpoint endpoint,
            Counters counters,
            Version2Receiver receiver,
            LongSupplier clock) {
        var setting =
                new Version2Setting(
                        receiver.exchange(),
                        version2.transmissions()
                                .map(Version2.Transmissions::transferPolicy)
                                .orElse(Version2.TransferPolicy.EXPLICIT),
                        version2.spareForResponses(options.credits(), options.callBackCredits()),
                        options.segmentMax(),
                        clock,
                        version2.fetchedReplies(),
                        options.remoteInvalidation(),
                        options.inlineSend());
        var profile = new Version2Requester(requester, endpoint, counters, setting);
        receiver.setReplies(profile.replies());
        return profile;
    }

    /** Makes a responder speak version 2. */
    void speak(
            Responder responder, Endpoint endpoint, Counters counters, Version2Receiver receiver) {
        var profile =
                new Version2Responder(
                        responder,
                        endpoint,
                        receiver.exchange(),
                        version2.fetchedReplies().orElse(FetchedReplies.DEFAULT),
                        options.segmentMax(),
                        counters);
        receiver.setCalls(profile.calls());
    }

    /** Returns which calls of a client offer a Reply chunk. */
    ReplyChunks replyChunks(CharacteristicsExchange exchange) {
        boolean letsFetch = exchange.peer().readChunks().has(ReadChunks.EXPOSES);
        return version2.fetchedReplies()
                .filter(_ -> letsFetch)
                .map(FetchedReplies::replyChunks)
                .orElse(ReplyChunks.ALWAYS);
    }

    /**
     * Returns the parameters of a client's calls, given the server's characteristics (V2-2.1-1).
     */
    ConnectionParameters ofClient(ConnectionParameters initial, CharacteristicsExchange exchange) {
        return initial.withThresholds(
                        exchange.sendMax(options.inlineSend()),
                        exchange.receivedMax(initial.replyThreshold()))
                .withRemoteInvalidation(options.remoteInvalidation())
                .withEmptyHeaderBytes(Version2HeaderCodec.EMPTY_LISTS_BYTES);
    }

    /** Returns the parameters of a client's calls, at its server. */
    ConnectionParameters ofServer(ConnectionParameters initial, CharacteristicsExchange exchange) {
        return initial.withThresholds(
                        exchange.receivedMax(initial.callThreshold()),
                        exchange.sendMax(options.inlineSend()))
                // XCH-3.2-1.
                .withRemoteInvalidation(
                        options.remoteInvalidation() && exchange.peer().acceptsRemoteInvalidation())
                .withEmptyHeaderBytes(Version2HeaderCodec.EMPTY_LISTS_BYTES);
    }
}
