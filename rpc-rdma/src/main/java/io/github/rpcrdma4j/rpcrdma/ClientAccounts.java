package io.github.rpcrdma4j.rpcrdma;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The accounts of all addresses that hold something. Thread-safe. */
final class ClientAccounts {
    private final RpcRdmaOptions options;
    private final Statistics statistics;
    private final Runnable collector;
    private final Map<InetAddress, ClientAccount> accounts = new HashMap<>();

    /**
     * @param collector see {@link ClientAccount}
     */
    ClientAccounts(RpcRdmaOptions options, Statistics statistics, Runnable collector) {
        this.options = options;
        this.statistics = statistics;
        this.collector = collector;
    }

    /** The account of a client that may have one more connection. */
    synchronized Optional<ClientAccount> admit(InetAddress client) {
        // Those whose last calls outlived their connections.
        accounts.values().removeIf(ClientAccount::isEmpty);
        var account =
                accounts.computeIfAbsent(
                        client,
                        _ ->
                                new ClientAccount(
                                        options.peerLimits(),
                                        options.largestCall(),
                                        statistics,
                                        collector));
        return account.admit(options.receiveBytes()) ? Optional.of(account) : Optional.empty();
    }

    /** A connection that was let in is gone. */
    void leave(ClientAccount account) {
        account.leave(options.receiveBytes());
        synchronized (this) {
            accounts.values().removeIf(ClientAccount::isEmpty);
        }
    }

    /** Clients that hold something now. */
    synchronized int count() {
        accounts.values().removeIf(ClientAccount::isEmpty);
        return accounts.size();
    }
}
