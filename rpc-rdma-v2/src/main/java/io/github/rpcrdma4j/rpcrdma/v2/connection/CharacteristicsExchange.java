package io.github.rpcrdma4j.rpcrdma.v2.connection;

import io.github.rpcrdma4j.rpcrdma.v2.characteristics.ChangeVerdict;
import io.github.rpcrdma4j.rpcrdma.v2.characteristics.CharacteristicsMessages;
import io.github.rpcrdma4j.rpcrdma.v2.characteristics.LocalCharacteristics;
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
 * The characteristics of both sides of a connection of version 2, and their changes. Guarded by the
 * lock of the connection.
 *
 * <p>Tests: {@code ChangesByHandTest}, {@code ReceiveSizeRequestsByHandTest}.
 */
public final class CharacteristicsExchange {
    private final LocalCharacteristics local;
    private final Set<Extension> extensions;
    private final CharacteristicsMessages localMessages;
    private final int credits;
    private final long receiveMax;
    private final OptionalLong wanted;
    private final IntSupplier xids;
    private final LongPredicate growReceives;
    private final Runnable changed;
    private PeerCharacteristics peer = PeerCharacteristics.UNKNOWN;
    private Set<Extension> known;
    private PeerReceiveSize.State peerSize =
            new PeerReceiveSize.State.Stable(PeerCharacteristics.RECEIVE_SIZE_DEFAULT);
    private LocalReceiveSize.State ownSize;
    private boolean hasExchanged;

    /** The XID of our first exchange, if this side begins. */
    private int openingXid;

    /**
     * @param local the characteristics of this side
     * @param extensions the extensions that this side supports
     * @param credits the credits that this side requests or grants
     * @param receiveMax the longest receive that the peer may ask for, in bytes
     * @param wanted the receive size to ask the peer for, in bytes; empty: none
     * @param xids returns XIDs that no call has
     * @param growReceives returns whether all receives posted from now on can have that size, in
     *     bytes, and starts to post them
     * @param changed runs when characteristics of the peer may have changed
     */
    public CharacteristicsExchange(
            LocalCharacteristics local,
            Set<Extension> extensions,
            int credits,
            long receiveMax,
            OptionalLong wanted,
            IntSupplier xids,
            LongPredicate growReceives,
            Runnable changed) {
        this.local = local;
        this.extensions = Set.copyOf(extensions);
        this.known = known(extensions, peer);
        this.localMessages = CharacteristicsMessages.of(local, FirstMessage.BYTES_MAX);
        this.credits = credits;
        this.receiveMax = receiveMax;
        this.wanted = wanted;
        this.xids = xids;
        this.growReceives = growReceives;
        this.changed = changed;
        this.ownSize = new LocalReceiveSize.State.Steady(local.receives().length());
    }

    /** Returns the known characteristics of the peer. */
    public PeerCharacteristics peer() {
        return peer;
    }

    /** Returns the most Sends of a request that this side accepts. */
    public long requestSendsMax() {
        return local.requestMax();
    }

    /** Returns how the receives of this side are built. */
    public BufferLayout ownBuffer() {
        return BufferLayout.of(local.receives()).orElseThrow();
    }

    /** Returns the credits that this side requests or grants. */
    public int credits() {
        return credits;
    }

    /** Returns the characteristics of this side. */
    public LocalCharacteristics local() {
        return local;
    }

    /** Returns the extensions in use. */
    public Set<Extension> known() {
        return known;
    }

    /** RTR-9.2-5: the trailer changes the form of a request, so both sides have to know it. */
    private static Set<Extension> known(Set<Extension> extensions, PeerCharacteristics peer) {
        var known = EnumSet.copyOf(extensions);
        if (!peer.transmissions().has(Transmissions.TRAILER)) {
            known.remove(Extension.TRAILER);
        }
        return Collections.unmodifiableSet(known);
    }

    /**
     * Returns the longest Send that the peer is sure to accept, in bytes (V2-5.2-5). It is never
     * less than a first message may have, even if the peer says so (V2-5-1).
     *
     * @param most the longest Send that this side makes, in bytes
     */
    public int sendMax(int most) {
        long accepted = Math.min(peer.sendMax(), peerSize.sendMax());
        return (int) Math.min(most, Math.max(accepted, FirstMessage.BYTES_MAX));
    }

    /** Returns the longest Send that the peer makes, in bytes, given a limit of its own. */
    public int receivedMax(int other) {
        return (int) Math.min(other, ownSize.announced());
    }

    /** Returns the first message of a client. */
    public Version2Header.Option open() {
        openingXid = xids.getAsInt();
        return new Version2Header.Option(
                openingXid, credits, Direction.CALL, localMessages.first());
    }

    /** Returns whether an error with that XID answers our first exchange. */
    public boolean isOpeningXid(int xid) {
        return xid == openingXid;
    }

    /**
     * Processes a message about characteristics.
     *
     * @return the messages to send, in order
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
            case Operation.InitialExchange initial -> onInitialExchange(header, initial);
            case Operation.Update update -> onUpdate(update);
            case Operation.ChangeRequest request -> List.of(answer(header.xid(), request));
            case Operation.ChangeResponse response -> {
                onChangeResponse(ChangeVerdict.of(response, 0));
                yield List.of();
            }
        };
    }

    /** Answers a client with its XID, in version 2 (V2-4.2.2-6, V2-5.1-1). */
    private List<Version2Header.Option> onInitialExchange(
            Version2Header.Option header, Operation.InitialExchange initial) {
        peer = peer.with(initial);
        peerSize = PeerReceiveSize.updated(peerSize, peer.sendMax(), false);
        var answers = new ArrayList<Version2Header.Option>();
        if (header.direction() == Direction.CALL) {
            answers.add(
                    new Version2Header.Option(
                            header.xid(), credits, Direction.REPLY, localMessages.first()));
        }
        if (!hasExchanged) {
            hasExchanged = true;
            localMessages.later().forEach(update -> answers.add(call(update)));
            // A server asks for no smaller size: calls under way count on longer replies.
            boolean takesLess = header.direction() == Direction.REPLY;
            wanted.ifPresent(size -> request(size, takesLess, answers));
        }
        return answers;
    }

    /**
     * Adds the one request of a connection (XCH-4-3), which binds this side at once (XCH-3.1-6).
     */
    private void request(long size, boolean takesLess, List<Version2Header.Option> messages) {
        if (size > peerSize.sendMax() || (takesLess && size < peerSize.sendMax())) {
            peerSize = PeerReceiveSize.ask(peerSize, size);
            messages.add(call(new Operation.ChangeRequest(List.of(new ReceiveSize(size)))));
        }
    }

    private void onChangeResponse(ChangeVerdict verdict) {
        peerSize = PeerReceiveSize.answered(peerSize, verdict);
        if (verdict == ChangeVerdict.DONE) {
            // XCH-4.3-2.
            peer = peer.with(new Operation.Update(new ReceiveSize(peerSize.sendMax()), true));
        }
    }

    private List<Version2Header.Option> onUpdate(Operation.Update update) {
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

    private ChangeVerdict decide(Characteristic change) {
        // The length of a structure is fixed (RTR-8.3-1, XCH-4.3-6).
        if (!(change instanceof ReceiveSize(var size)) || ownBuffer().takesPlacement()) {
            return ChangeVerdict.REJECTED;
        }
        var step = LocalReceiveSize.asked(ownSize, size, receiveMax);
        boolean grows = step.verdict().equals(Optional.of(ChangeVerdict.PENDING));
        if (grows && !growReceives.test(size)) {
            return ChangeVerdict.REJECTED;
        }
        ownSize = step.next();
        return step.verdict().orElse(ChangeVerdict.REJECTED);
    }

    /**
     * Announces the new receive size once no receive of the old size remains.
     *
     * @return the messages to send
     */
    public List<Version2Header.Option> drained() {
        var step = LocalReceiveSize.drained(ownSize);
        ownSize = step.next();
        return step.update()
                .map(size -> new Operation.Update(new ReceiveSize(size), true))
                .map(update -> List.of(call(update)))
                .orElse(List.of());
    }

    /** XCH-4.4-1. */
    private Version2Header.Option call(Operation.Exchange exchange) {
        return new Version2Header.Option(xids.getAsInt(), credits, Direction.CALL, exchange);
    }
}
