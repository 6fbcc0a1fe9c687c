package io.github.rpcrdma4j.rpcrdma.v2.characteristics;

import io.github.rpcrdma4j.rpcrdma.v2.transmission.BufferLayout;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReadChunkHold;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReadChunks;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReceiveSize;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReceiveStructure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.RemoteInvalidation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.RequestTransmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ResponseTransmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.Reverse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReverseSupport;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.Transmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.Unknown;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.InitialExchange;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.Update;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The known characteristics of a peer; an immutable snapshot. A message under construction keeps
 * the snapshot that it began with.
 *
 * @param known the newest value of each kind; a missing kind has its default (XCH-3-1)
 * @param fixed the kinds that the peer said would not change (XCH-4.1-3)
 */
public record PeerCharacteristics(
        Map<Class<? extends Characteristic>, Characteristic> known,
        Set<Class<? extends Characteristic>> fixed) {
    /** The bytes that any peer accepts in one Send (V2-2.3-1, V2-2.3-3). */
    public static final long RECEIVE_SIZE_DEFAULT = 4096;

    /** A peer that has sent no characteristics. */
    public static final PeerCharacteristics UNKNOWN = new PeerCharacteristics(Map.of(), Set.of());

    public PeerCharacteristics {
        known = Map.copyOf(known);
        fixed = Set.copyOf(fixed);
    }

    /**
     * Applies a first exchange. A further exchange counts as a series of updates (XCH-4.1-6). Of
     * two values of one kind the last counts (XCH-2.1-7).
     */
    public PeerCharacteristics with(InitialExchange exchange) {
        var peer = this;
        var staying = new HashSet<>(fixed);
        for (int i = 0; i < exchange.start().size(); i++) {
            var characteristic = exchange.start().get(i);
            peer = peer.with(characteristic);
            if (exchange.noChange().contains(i) && !(characteristic instanceof Unknown)) {
                staying.add(characteristic.getClass());
            }
        }
        return new PeerCharacteristics(peer.known, staying);
    }

    /** Applies an update (XCH-4.4-2); an update of a fixed kind is ignored. */
    public PeerCharacteristics with(Update update) {
        return with(update.now());
    }

    private PeerCharacteristics with(Characteristic characteristic) {
        if (characteristic instanceof Unknown || fixed.contains(characteristic.getClass())) {
            return this;
        }
        var all = new HashMap<>(known);
        all.put(characteristic.getClass(), characteristic);
        return new PeerCharacteristics(all, fixed);
    }

    private <T extends Characteristic> Optional<T> known(Class<T> kind) {
        return Optional.ofNullable(known.get(kind)).map(kind::cast);
    }

    /**
     * Returns how the peer's receive buffers are built. It is one plain segment if the peer sent no
     * structure or an impossible one (RTR-8.3-2, RTR-8.3-4).
     */
    public BufferLayout buffer() {
        return known(ReceiveStructure.class)
                .flatMap(structure -> BufferLayout.of(structure.structure()))
                .orElseGet(() -> BufferLayout.plain(knownSize().orElse(RECEIVE_SIZE_DEFAULT)));
    }

    private Optional<Long> knownSize() {
        return known(ReceiveSize.class).map(ReceiveSize::bytes);
    }

    /**
     * Returns the longest Send that the peer accepts, in bytes: the smaller of the two lengths that
     * it sent (RTR-8.3-3, V2-2.3-2).
     */
    public long sendMax() {
        long buffer = buffer().bytes();
        return Math.min(buffer, knownSize().orElse(buffer));
    }

    /** Returns whether the peer accepts Send With Invalidate as a requester (XCH-3.2-1). */
    public boolean acceptsRemoteInvalidation() {
        return known(RemoteInvalidation.class).map(RemoteInvalidation::isAccepted).orElse(false);
    }

    /** Returns which calls in the reverse direction the peer serves (XCH-3.3-1). */
    public Reverse reverse() {
        return known(ReverseSupport.class).map(ReverseSupport::support).orElse(Reverse.UNKNOWN);
    }

    /** Returns the peer's use of transmissions, as bits of {@link Transmissions} (RTR-5.1-1). */
    public Transmissions transmissions() {
        return known(Transmissions.class).orElse(new Transmissions(0));
    }

    /** Returns how many transmissions of a request the peer accepts (RTR-5.2-1, RTR-9.4-2). */
    public long requestTransmissionsMax() {
        long max = known(RequestTransmissions.class).map(RequestTransmissions::max).orElse(1L);
        return continues() ? Math.max(1, max) : 1;
    }

    /** Returns how many transmissions of a response the peer makes (RTR-5.2-5). */
    public long responseTransmissionsMax() {
        long max = known(ResponseTransmissions.class).map(ResponseTransmissions::max).orElse(1L);
        return continues() ? Math.max(1, max) : 1;
    }

    private boolean continues() {
        return transmissions().has(Transmissions.CONTINUATIONS);
    }

    /** Returns the peer's use of responder-provided Read chunks, as bits of {@link ReadChunks}. */
    public ReadChunks readChunks() {
        return known(ReadChunks.class).orElse(new ReadChunks(0));
    }

    /** Returns how long the peer keeps a Read chunk, in milliseconds; 0 if it did not say. */
    public long readChunkHoldMillis() {
        return known(ReadChunkHold.class).map(ReadChunkHold::milliseconds).orElse(0L);
    }
}
