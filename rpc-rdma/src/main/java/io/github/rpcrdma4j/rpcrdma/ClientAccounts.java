package io.github.rpcrdma4j.rpcrdma;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.rpcrdma.ClientAccount.Admission;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;

/**
 * The accounts of all clients that hold something, and what they may hold together: so much of a
 * budget that the memory behind it is there. Thread-safe.
 */
final class ClientAccounts {
    /** The part of the budget that is left to others: rounding, short replies, other servers. */
    private static final int OTHERS_PART = 4;

    /** The part of what all may hold together that is left to calls. */
    private static final int CALLS_PART = 4;

    /** One client may have this part of the budget, so that it takes several to use it up. */
    private static final int CLIENT_PART = 4;

    /** Closes a connection that is idle, so that its memory is there for another. */
    interface RoomMaker {
        /**
         * Called by any thread, with the lock of no account, and perhaps with that of a connection.
         *
         * @param account whose connection it shall be; null: of any
         * @param siblings how many connections the client has that it is for
         * @return false if none is idle
         */
        boolean closeIdle(ClientAccount account, int siblings);
    }

    private final RpcRdmaOptions options;
    private final Statistics statistics;
    private final Runnable collector;
    private final RoomMaker rooms;
    private final SharedBytes total;
    private final long share;
    private final Map<ClientAddress, ClientAccount> accounts = new HashMap<>();

    /** How many accounts there were when one was added or looked for last. */
    private volatile int clients = 1;

    /**
     * @param budget the bytes that there are for everything
     * @param collector has completions collected that nothing was in a hurry for: some of them end
     *     calls. Called by any thread.
     */
    ClientAccounts(
            RpcRdmaOptions options,
            long budget,
            Statistics statistics,
            Runnable collector,
            RoomMaker rooms) {
        this.options = options;
        this.statistics = statistics;
        this.collector = collector;
        this.rooms = rooms;
        // However small the budget, one connection with one call can be served.
        long least = options.largestCall() + options.receiveBytes();
        this.total = new SharedBytes(Math.max(budget - budget / OTHERS_PART, least));
        this.share =
                Math.min(options.peerLimits().bytesMax(), Math.max(budget / CLIENT_PART, least));
    }

    RpcRdmaOptions options() {
        return options;
    }

    /** What all hold together. */
    SharedBytes total() {
        return total;
    }

    /** What stays free of receives, so that calls can be carried out. */
    long reserve() {
        return Math.max(total.max() / CALLS_PART, options.largestCall());
    }

    /** What one client may hold, in bytes. */
    long share() {
        return share;
    }

    /** The same at this moment: where calls wait for memory, no client has more than another. */
    long shareNow() {
        return total.isPressed()
                ? Math.min(share, Math.max(total.max() / clients, options.largestCall()))
                : share;
    }

    /** A call has to wait. */
    void delayed() {
        statistics.count(Counter.CALLS_DELAYED);
        collector.run();
    }

    /** Makes room for a client that was not admitted; false if there is none to be made. */
    boolean makeRoom(ClientAccount account, Admission refusal) {
        return switch (refusal) {
            case ADMITTED -> true;
            case CLIENT_IS_FULL -> rooms.closeIdle(account, account.connections());
            case SERVER_IS_FULL -> rooms.closeIdle(null, account.connections());
        };
    }

    /**
     * What came of a client's wish for one more connection.
     *
     * @param account of the client
     */
    record Entry(ClientAccount account, Admission admission) {}

    /** Lets a client have one more connection, if that is within the limits. */
    synchronized Entry admit(InetAddress address) {
        // Those whose last calls outlived their connections.
        accounts.values().removeIf(ClientAccount::isEmpty);
        var account =
                accounts.computeIfAbsent(ClientAddress.of(address), _ -> new ClientAccount(this));
        clients = accounts.size();
        return new Entry(account, account.admit());
    }

    /** How many connections a client has. */
    synchronized int connections(InetAddress address) {
        var account = accounts.get(ClientAddress.of(address));
        return account == null ? 0 : account.connections();
    }

    /** A connection that was let in is gone. */
    void leave(ClientAccount account) {
        account.leave();
        count();
    }

    /** Clients that hold something now. */
    synchronized int count() {
        accounts.values().removeIf(ClientAccount::isEmpty);
        clients = Math.max(1, accounts.size());
        return accounts.size();
    }
}
