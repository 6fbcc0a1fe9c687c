package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.PeerQuota.Admission;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * The quotas of all clients that hold something, and what they may hold together: so much of a
 * budget that the memory behind it is there. Thread-safe.
 */
final class PeerQuotas {
    /** The part of the budget that is left to others: rounding, short replies, other servers. */
    private static final int OTHERS_PART = 4;

    /**
     * The part of what all may hold together that is left to calls whatever receives take, and to
     * receives whatever calls take: who can connect, but not call, or the other way round, is not
     * served.
     */
    private static final int LEFT_PART = 4;

    /** One client may have this part of the budget, so that it takes several to use it up. */
    private static final int CLIENT_PART = 4;

    /**
     * Closes connections, so that what they hold is there for another. Called by any thread, with
     * the lock of no quota, and perhaps with that of a connection.
     */
    interface RoomMaker {
        /**
         * Closes one of a client's own connections.
         *
         * @return false if none is idle
         */
        boolean closeOwn(PeerQuota peerQuota);

        /**
         * Closes some for a client that finds no memory.
         *
         * @param bytes that it wants
         * @param enough asked after each that is closed
         * @return false if those that may be closed for it are not enough
         */
        boolean closeFor(PeerQuota peerQuota, long bytes, BooleanSupplier enough);
    }

    private final RpcRdmaOptions options;
    private final Counters counters;
    private final Runnable collector;
    private final RoomMaker rooms;
    private final SharedQuota total;

    /** What of the total all receives hold. */
    private final SharedQuota receives;

    /** What of the total all calls hold. */
    private final SharedQuota calls;

    private final long share;
    private final Map<ClientAddress, PeerQuota> peerQuotas = new HashMap<>();

    /** How many quotas there were when one was added or looked for last. */
    private volatile int clients = 1;

    /**
     * @param budget the bytes that there are for everything
     * @param collector polls for deferred completions, some of which free quota; called by any
     *     thread
     */
    PeerQuotas(
            RpcRdmaOptions options,
            long budget,
            Counters counters,
            Runnable collector,
            RoomMaker rooms) {
        this.options = options;
        this.counters = counters;
        this.collector = collector;
        this.rooms = rooms;
        // However small the budget, one connection with one call can be served.
        long least = options.sizes().largestCall() + options.sizes().receiveBytes();
        this.total = new SharedQuota(Math.max(budget - budget / OTHERS_PART, least));
        long left = total.max() / LEFT_PART;
        this.receives =
                new SharedQuota(total.max() - Math.max(left, options.sizes().largestCall()));
        this.calls = new SharedQuota(Math.max(total.max() - left, options.sizes().largestCall()));
        this.share =
                Math.min(options.peerLimits().bytesMax(), Math.max(budget / CLIENT_PART, least));
    }

    RpcRdmaOptions options() {
        return options;
    }

    /** What all hold together. */
    SharedQuota total() {
        return total;
    }

    /** Takes memory for receives if there is as much. */
    boolean takeReceives(long bytes) {
        return take(receives, bytes);
    }

    /** Whether there is as much memory for receives at this moment. */
    boolean hasRoomForReceives(long bytes) {
        return receives.hasRoom(bytes) && total.hasRoom(bytes);
    }

    /** Whether there is as much memory for a call at this moment. */
    boolean hasRoomForCall(long bytes) {
        return calls.hasRoom(bytes) && total.hasRoom(bytes);
    }

    /** Takes memory for a call if there is as much. */
    boolean takeCall(long bytes) {
        return take(calls, bytes);
    }

    private boolean take(SharedQuota part, long bytes) {
        if (!part.take(bytes)) {
            return false;
        }
        if (!total.take(bytes)) {
            part.give(bytes);
            return false;
        }
        return true;
    }

    /** Counts what a call holds already. */
    void holdCall(long bytes) {
        calls.hold(bytes);
        total.hold(bytes);
    }

    /** Takes memory of receives back, and tells some who wait. */
    void giveReceives(long bytes) {
        receives.give(bytes);
        total.give(bytes);
    }

    /** Takes memory of calls back, and tells some who wait. */
    void giveCall(long bytes) {
        calls.give(bytes);
        total.give(bytes);
    }

    /** What each client would have of all that is held, if all had as much. */
    long equalPart() {
        return total.held() / clients;
    }

    /** What one client may hold, in bytes. */
    long share() {
        return share;
    }

    /** What one client may hold at this moment, in bytes: an equal part where calls wait for it. */
    long shareNow() {
        return total.isPressed()
                ? Math.min(share, Math.max(total.max() / clients, options.sizes().largestCall()))
                : share;
    }

    /** A call has to wait. */
    void delayed() {
        counters.count(Counter.CALLS_DELAYED);
        collector.run();
    }

    /**
     * Makes room for a client that was not admitted.
     *
     * @param bytes what its receives need
     * @return false if there is none to be made
     */
    boolean makeRoom(PeerQuota peerQuota, Admission refusal, long bytes) {
        return switch (refusal) {
            case ADMITTED -> true;
            case CLIENT_IS_FULL -> rooms.closeOwn(peerQuota);
            case SERVER_IS_FULL ->
                    rooms.closeFor(peerQuota, bytes, () -> hasRoomForReceives(bytes));
        };
    }

    /**
     * What came of a client's wish for one more connection.
     *
     * @param peerQuota of the client
     */
    record Entry(PeerQuota peerQuota, Admission admission) {}

    /** Lets a client have one more connection, if that is within the limits. */
    synchronized Entry admit(InetAddress address) {
        // Those whose last calls outlived their connections.
        peerQuotas.values().removeIf(PeerQuota::isEmpty);
        var peerQuota =
                peerQuotas.computeIfAbsent(ClientAddress.of(address), _ -> new PeerQuota(this));
        clients = peerQuotas.size();
        return new Entry(peerQuota, peerQuota.admit());
    }

    /** The quota of a client; null if it holds nothing. */
    synchronized PeerQuota of(InetAddress address) {
        return peerQuotas.get(ClientAddress.of(address));
    }

    /** A connection that was let in is gone. */
    void leave(PeerQuota peerQuota) {
        peerQuota.leave();
        count();
    }

    /** Clients that hold something now. */
    synchronized int count() {
        peerQuotas.values().removeIf(PeerQuota::isEmpty);
        clients = Math.max(1, peerQuotas.size());
        return peerQuotas.size();
    }
}
