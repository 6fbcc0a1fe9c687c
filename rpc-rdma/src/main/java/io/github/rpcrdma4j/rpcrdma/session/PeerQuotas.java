package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.PeerQuota.Admission;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * The quotas of all clients, and the limit of what they hold together. The limit stays below the
 * memory budget, so that admitted requests find memory. Thread-safe.
 */
final class PeerQuotas {
    /**
     * The divisor for the part of the budget that stays free for rounding, short replies, and other
     * servers.
     */
    private static final int OTHERS_DIVISOR = 4;

    /**
     * The divisor for the part of the total that receives leave to calls, and calls leave to
     * receives. Without it, clients could connect but not call, or the reverse.
     */
    private static final int LEFT_DIVISOR = 4;

    /**
     * The divisor for the part of the budget that one client may hold, so that one client cannot
     * exhaust it.
     */
    private static final int CLIENT_DIVISOR = 4;

    /**
     * Closes connections to free their memory for others. Any thread may call it, without the lock
     * of a quota, but perhaps with the lock of a connection.
     */
    interface RoomMaker {
        /**
         * Closes one of a client's own connections.
         *
         * @return false if none of them is idle
         */
        boolean closeOwn(PeerQuota peerQuota);

        /**
         * Closes connections for a client that finds no memory.
         *
         * @param bytes the memory that the client requests, in bytes
         * @param enough evaluated after each closed connection; true ends the search
         * @return false if closing all candidates was not enough
         */
        boolean closeFor(PeerQuota peerQuota, long bytes, BooleanSupplier enough);
    }

    private final RpcRdmaOptions options;
    private final Counters counters;
    private final Runnable collector;
    private final RoomMaker rooms;
    private final SharedQuota total;

    /** The part of the total that all receives hold. */
    private final SharedQuota receives;

    /** The part of the total that all calls hold. */
    private final SharedQuota calls;

    private final long share;

    /** By {@link ClientAddress}, or by the {@link OwnKey} of the server. */
    private final Map<Object, PeerQuota> peerQuotas = new HashMap<>();

    /** How many clients there were when a client was last added or counted. */
    private volatile int clients = 1;

    /**
     * @param budget the bytes of memory for all purposes
     * @param collector makes the polling threads look for completions that woke no thread, some of
     *     which free quota; called by any thread
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
        // Even the smallest budget allows one connection with one call.
        long least = options.sizes().largestCall() + options.sizes().receiveMemory();
        this.total = new SharedQuota(Math.max(budget - budget / OTHERS_DIVISOR, least));
        long left = total.max() / LEFT_DIVISOR;
        this.receives =
                new SharedQuota(total.max() - Math.max(left, options.sizes().largestCall()));
        this.calls = new SharedQuota(Math.max(total.max() - left, options.sizes().largestCall()));
        this.share =
                Math.min(options.peerLimits().bytesMax(), Math.max(budget / CLIENT_DIVISOR, least));
    }

    RpcRdmaOptions options() {
        return options;
    }

    /** Returns the shared quota of all clients. */
    SharedQuota total() {
        return total;
    }

    /** Takes memory for receives, if enough is free. */
    boolean takeReceives(long bytes) {
        return take(receives, bytes);
    }

    /** Returns whether enough memory for receives is free now. */
    boolean hasRoomForReceives(long bytes) {
        return receives.hasRoom(bytes) && total.hasRoom(bytes);
    }

    /** Returns whether enough memory for a call is free now. */
    boolean hasRoomForCall(long bytes) {
        return calls.hasRoom(bytes) && total.hasRoom(bytes);
    }

    /** Takes memory for a call, if enough is free. */
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

    /** Counts memory that a call uses already. */
    void holdCall(long bytes) {
        calls.hold(bytes);
        total.hold(bytes);
    }

    /** Gives back memory of receives, and resumes some waiting calls. */
    void giveReceives(long bytes) {
        receives.give(bytes);
        total.give(bytes);
    }

    /** Gives back memory of calls, and resumes some waiting calls. */
    void giveCall(long bytes) {
        calls.give(bytes);
        total.give(bytes);
    }

    /** Returns the memory now held, divided by the number of clients, in bytes. */
    long equalPart() {
        return total.held() / clients;
    }

    /** Returns how long and how slow the peers of a client may be now. */
    Patience patience(PeerQuota own) {
        if (total.isPressed()) {
            return own.bytes() > equalPart() ? Patience.WITH_GREEDY : Patience.SHORT;
        }
        return own.isPressed() ? Patience.SHORT : Patience.USUAL;
    }

    /** Returns the most that one client may hold, in bytes. */
    long share() {
        return share;
    }

    /**
     * Returns the most that one client may hold now, in bytes. While calls wait for memory, it is
     * an equal part of the total.
     */
    long shareNow() {
        return total.isPressed()
                ? Math.min(share, Math.max(total.max() / clients, options.sizes().largestCall()))
                : share;
    }

    /** Counts a call that has to wait. */
    void delayed() {
        counters.count(Counter.CALLS_DELAYED);
    }

    /** Runs the collector. */
    void collect() {
        collector.run();
    }

    /**
     * Makes room for a client that was not admitted.
     *
     * @param bytes the memory that its receives need, in bytes
     * @return false if no room could be made
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
     * The result of a client's request for one more connection.
     *
     * @param peerQuota the quota of the client
     */
    record Entry(PeerQuota peerQuota, Admission admission) {}

    /**
     * Admits one more connection of a client, if the limits allow it.
     *
     * @param client its {@link ClientAddress}, or the {@link OwnKey} of the server
     */
    synchronized Entry admit(Object client) {
        // Removes clients whose last calls ended after their connections.
        peerQuotas.values().removeIf(PeerQuota::isEmpty);
        var peerQuota = peerQuotas.computeIfAbsent(client, _ -> new PeerQuota(client, this));
        clients = peerQuotas.size();
        return new Entry(peerQuota, peerQuota.admit());
    }

    /** Returns the quota of a client; null if it holds nothing. */
    synchronized PeerQuota of(Object client) {
        return peerQuotas.get(client);
    }

    /** Gives back the quota of an admitted connection that has ended. */
    void leave(PeerQuota peerQuota) {
        peerQuota.leave();
        count();
    }

    /** Returns how many clients hold any quota now. */
    synchronized int count() {
        peerQuotas.values().removeIf(PeerQuota::isEmpty);
        clients = Math.max(1, peerQuotas.size());
        return peerQuotas.size();
    }
}
