package io.github.rpcrdma4j.rpcrdma.v2.connection;

import io.github.rpcrdma4j.rpcrdma.v2.characteristics.ChangeVerdict;
import io.github.rpcrdma4j.rpcrdma.v2.characteristics.CharacteristicsOffer;
import io.github.rpcrdma4j.rpcrdma.v2.characteristics.LocalReceiveSize;
import io.github.rpcrdma4j.rpcrdma.v2.characteristics.PeerCharacteristics;
import io.github.rpcrdma4j.rpcrdma.v2.characteristics.PeerReceiveSize;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.BufferLayout;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReceiveSize;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.Transmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Extension;
import io.github.rpcrdma4j.rpcrdma.v2.wire.FirstMessage;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.function.LongPredicate;

/**
 * What the two sides of a connection of version 2 tell each other of themselves, and how that
 * changes. Guarded by the lock of the connection.
 */
public final class CharacteristicsExchange {
    private final CharacteristicsOffer.Own own;
    private final Set<Extension> extensions;
    private final CharacteristicsOffer offer;
    private final int credits;
    private final long receiveMax;
    private final OptionalLong wanted;
    private final IntSupplier xids;
    private final LongPredicate receives;
    private final Runnable changed;
    private PeerCharacteristics peer = PeerCharacteristics.UNKNOWN;
    private Set<Extension> known;
    private PeerReceiveSize.State peerSize =
            new PeerReceiveSize.State.Stable(PeerCharacteristics.RECEIVE_SIZE_DEFAULT);
    private LocalReceiveSize.State ownSize;
    private boolean introduced;

    /** The XID of our offer, if we begin. */
    private int opening;

    /**
     * @param own what this side is like
     * @param extensions what it speaks
     * @param credits what it asks for, or grants
     * @param receiveMax the longest receive that the peer may ask for, in bytes
     * @param wanted the receive size that the peer shall have; empty: whatever it tells
     * @param xids each of which no call has
     * @param receives told when all receives that are posted from now on shall have that size
     * @param changed told when something else may hold of the peer
     */
    public CharacteristicsExchange(
            CharacteristicsOffer.Own own,
            Set<Extension> extensions,
            int credits,
            long receiveMax,
            OptionalLong wanted,
            IntSupplier xids,
            LongPredicate receives,
            Runnable changed) {
        this.own = own;
        this.extensions = Set.copyOf(extensions);
        this.known = known(extensions, peer);
        this.offer = CharacteristicsOffer.of(own, FirstMessage.BYTES_MAX);
        this.credits = credits;
        this.receiveMax = receiveMax;
        this.wanted = wanted;
        this.xids = xids;
        this.receives = receives;
        this.changed = changed;
        this.ownSize = new LocalReceiveSize.State.Steady(own.receives().length());
    }

    /** What is known of the peer now. */
    public PeerCharacteristics peer() {
        return peer;
    }

    /** How many Sends of a request this side takes. */
    public long requestSendsMax() {
        return own.requestMax();
    }

    /** How the receives of this side are built. */
    public BufferLayout ownBuffer() {
        return BufferLayout.of(own.receives()).orElseThrow();
    }

    /** What this side asks for, or grants. */
    public int credits() {
        return credits;
    }

    /** What this side is like. */
    public CharacteristicsOffer.Own own() {
        return own;
    }

    /** The extensions that are spoken now. */
    public Set<Extension> known() {
        return known;
    }

    /** RTR-9.2-5: what a request looks like with it, both have to know. */
    private static Set<Extension> known(Set<Extension> extensions, PeerCharacteristics peer) {
        var known = EnumSet.copyOf(extensions);
        if (!peer.transmissions().has(Transmissions.TRAILER)) {
            known.remove(Extension.TRAILER);
        }
        return Collections.unmodifiableSet(known);
    }

    /**
     * The longest Send that the peer takes for sure, in bytes (V2-5.2-5); a peer that says that it
     * takes less than a first message has to live with that (V2-5-1).
     */
    public int sendMax(int own) {
        long told = Math.min(peer.sendMax(), peerSize.sendMax());
        return (int) Math.min(own, Math.max(told, FirstMessage.BYTES_MAX));
    }

    /**
     * The longest Send that the peer makes, in bytes, if it makes none beyond a limit of its own.
     */
    public int receivedMax(int other) {
        return (int) Math.min(other, ownSize.told());
    }

    /** The first message of a client. */
    public Version2Header.Option open() {
        opening = xids.getAsInt();
        return new Version2Header.Option(opening, credits, Direction.CALL, offer.first());
    }

    /** Whether an error with that XID is the answer to our offer. */
    public boolean opened(int xid) {
        return xid == opening;
    }

    /**
     * The peer says something.
     *
     * @return what is to be sent, in order
     */
    public List<Version2Header.Option> on(
            Version2Header.Option header, Operation.Exchange exchange) {
        var messages = messages(header, exchange);
        known = known(extensions, peer);
        changed.run();
        return messages;
    }

    private List<Version2Header.Option> messages(
            Version2Header.Option header, Operation.Exchange exchange) {
        return switch (exchange) {
            case Operation.InitialExchange initial -> introduced(header, initial);
            case Operation.Update update -> updated(update);
            case Operation.ChangeRequest request -> List.of(answer(header.xid(), request));
            case Operation.ChangeResponse response -> {
                answered(ChangeVerdict.of(response, 0));
                yield List.of();
            }
        };
    }

    /** The answer to a client has its XID, and is of version 2 (V2-4.2.2-6, V2-5.1-1). */
    private List<Version2Header.Option> introduced(
            Version2Header.Option header, Operation.InitialExchange initial) {
        peer = peer.with(initial);
        peerSize = PeerReceiveSize.updated(peerSize, peer.sendMax(), false);
        var answers = new ArrayList<Version2Header.Option>();
        if (header.direction() == Direction.CALL) {
            answers.add(
                    new Version2Header.Option(
                            header.xid(), credits, Direction.REPLY, offer.first()));
        }
        if (!introduced) {
            introduced = true;
            offer.later().forEach(update -> answers.add(call(update)));
            // A server wants no less: calls that are under way count on longer replies.
            boolean takesLess = header.direction() == Direction.REPLY;
            wanted.ifPresent(size -> wish(size, takesLess, answers));
        }
        return answers;
    }

    /** The one wish of a connection (XCH-4-3); from now on it binds this side (XCH-3.1-6). */
    private void wish(long size, boolean takesLess, List<Version2Header.Option> messages) {
        if (size > peerSize.sendMax() || (takesLess && size < peerSize.sendMax())) {
            peerSize = PeerReceiveSize.ask(peerSize, size);
            messages.add(call(new Operation.ChangeRequest(List.of(new ReceiveSize(size)))));
        }
    }

    private void answered(ChangeVerdict verdict) {
        peerSize = PeerReceiveSize.answered(peerSize, verdict);
        if (verdict == ChangeVerdict.DONE) {
            // XCH-4.3-2.
            peer = peer.with(new Operation.Update(new ReceiveSize(peerSize.sendMax()), true));
        }
    }

    private List<Version2Header.Option> updated(Operation.Update update) {
        peer = peer.with(update);
        if (update.now() instanceof ReceiveSize(var size)) {
            peerSize = PeerReceiveSize.updated(peerSize, size, update.endsPending());
        }
        return List.of();
    }

    private Version2Header.Option answer(int xid, Operation.ChangeRequest request) {
        var answer = ChangeVerdict.answer(request, this::decide);
        return new Version2Header.Option(xid, credits, Direction.REPLY, answer);
    }

    private ChangeVerdict decide(Characteristic wish) {
        // A structure has the length that it has (RTR-8.3-1, XCH-4.3-6).
        if (!(wish instanceof ReceiveSize(var size)) || ownBuffer().takesPlacement()) {
            return ChangeVerdict.REJECTED;
        }
        var step = LocalReceiveSize.asked(ownSize, size, receiveMax);
        boolean grows = step.verdict().equals(Optional.of(ChangeVerdict.PENDING));
        if (grows && !receives.test(size)) {
            return ChangeVerdict.REJECTED;
        }
        ownSize = step.next();
        return step.verdict().orElse(ChangeVerdict.REJECTED);
    }

    /**
     * The last receive of the old size is gone.
     *
     * @return what is to be sent
     */
    public List<Version2Header.Option> drained() {
        var step = LocalReceiveSize.drained(ownSize);
        ownSize = step.next();
        return step.update()
                .map(size -> new Operation.Update(new ReceiveSize(size), step.endsPending()))
                .map(update -> List.of(call(update)))
                .orElse(List.of());
    }

    /** XCH-4.4-1. */
    private Version2Header.Option call(Operation.Exchange exchange) {
        return new Version2Header.Option(xids.getAsInt(), credits, Direction.CALL, exchange);
    }
}
