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
 * What is known of a peer: a snapshot. A message that is being made keeps the one it began with.
 *
 * @param told the newest value of each kind; what is missing has its default (XCH-3-1)
 * @param fixed kinds of which the peer said that they stay as they are (XCH-4.1-3)
 */
public record PeerCharacteristics(
        Map<Class<? extends Characteristic>, Characteristic> told,
        Set<Class<? extends Characteristic>> fixed) {
    /** Bytes that any peer takes in one Send (V2-2.3-1, V2-2.3-3). */
    public static final long RECEIVE_SIZE_DEFAULT = 4096;

    /** One that has told nothing. */
    public static final PeerCharacteristics UNKNOWN = new PeerCharacteristics(Map.of(), Set.of());

    public PeerCharacteristics {
        told = Map.copyOf(told);
        fixed = Set.copyOf(fixed);
    }

    /**
     * Applies a first exchange. A further one counts as so many updates (XCH-4.1-6); of two values
     * of one kind the last counts (XCH-2.1-7).
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
        return new PeerCharacteristics(peer.told, staying);
    }

    /** Applies an update (XCH-4.4-2); of something that was said to stay it is ignored. */
    public PeerCharacteristics with(Update update) {
        return with(update.now());
    }

    private PeerCharacteristics with(Characteristic characteristic) {
        if (characteristic instanceof Unknown || fixed.contains(characteristic.getClass())) {
            return this;
        }
        var all = new HashMap<>(told);
        all.put(characteristic.getClass(), characteristic);
        return new PeerCharacteristics(all, fixed);
    }

    private <T extends Characteristic> Optional<T> told(Class<T> kind) {
        return Optional.ofNullable(told.get(kind)).map(kind::cast);
    }

    /**
     * How its receive buffers are built; one plain segment if it did not say, or said something
     * that cannot be (RTR-8.3-2, RTR-8.3-4).
     */
    public BufferLayout buffer() {
        return told(ReceiveStructure.class)
                .flatMap(structure -> BufferLayout.of(structure.structure()))
                .orElseGet(() -> BufferLayout.plain(toldSize().orElse(RECEIVE_SIZE_DEFAULT)));
    }

    private Optional<Long> toldSize() {
        return told(ReceiveSize.class).map(ReceiveSize::bytes);
    }

    /**
     * The longest Send that it takes, in bytes: the smaller of what it said (RTR-8.3-3, V2-2.3-2).
     */
    public long sendMax() {
        long buffer = buffer().bytes();
        return Math.min(buffer, toldSize().orElse(buffer));
    }

    /** Whether it takes Send With Invalidate as a requester (XCH-3.2-1). */
    public boolean acceptsRemoteInvalidation() {
        return told(RemoteInvalidation.class).map(RemoteInvalidation::isAccepted).orElse(false);
    }

    /** Which calls against the usual direction it serves (XCH-3.3-1). */
    public Reverse reverse() {
        return told(ReverseSupport.class).map(ReverseSupport::support).orElse(Reverse.UNKNOWN);
    }

    /** What it does with transmissions; {@link Transmissions} has the bits (RTR-5.1-1). */
    public Transmissions transmissions() {
        return told(Transmissions.class).orElse(new Transmissions(0));
    }

    /** How many transmissions of a request it takes (RTR-5.2-1, RTR-9.4-2). */
    public long requestTransmissionsMax() {
        long told = told(RequestTransmissions.class).map(RequestTransmissions::max).orElse(1L);
        return continues() ? Math.max(1, told) : 1;
    }

    /** How many transmissions of a response it makes (RTR-5.2-5). */
    public long responseTransmissionsMax() {
        long told = told(ResponseTransmissions.class).map(ResponseTransmissions::max).orElse(1L);
        return continues() ? Math.max(1, told) : 1;
    }

    private boolean continues() {
        return transmissions().has(Transmissions.CONTINUATIONS);
    }

    /** What it does with responder-provided Read chunks; {@link ReadChunks} has the bits. */
    public ReadChunks readChunks() {
        return told(ReadChunks.class).orElse(new ReadChunks(0));
    }

    /** How long it keeps a Read chunk, in milliseconds; 0 if it did not say. */
    public long readChunkHoldMillis() {
        return told(ReadChunkHold.class).map(ReadChunkHold::milliseconds).orElse(0L);
    }
}
