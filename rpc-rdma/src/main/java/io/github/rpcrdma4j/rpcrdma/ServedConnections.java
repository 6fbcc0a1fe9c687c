package io.github.rpcrdma4j.rpcrdma;

import io.github.rpcrdma4j.oncrpc.FailureLog;
import io.github.rpcrdma4j.rpcrdma.ClientAccount.Admission;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.ConnectRequest;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.xdr.BudgetExhaustedException;
import io.github.rpcrdma4j.xdr.MemoryBudget;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;

/**
 * The connections of a server: who is let in, and who has to go. Where there is no room for a new
 * one, the one that has been idle for longest makes it, of the client with the most connections.
 * Thread-safe.
 */
final class ServedConnections {
    /** Makes a connection for a client that is let in; posts its first receives. */
    interface Maker {
        ServedConnection make(ConnectRequest request, CompletionQueue queue, ClientAccount account);
    }

    /** So many idle connections go at the most for one that comes. */
    private static final int GOING_MAX = 16;

    /** When less than this part of the budget is left, idle connections go. */
    private static final int SCARCE_PART = 16;

    /** Where calls wait for memory, peers that hold it up have this part of their time. */
    private static final int HASTE = 8;

    private static final String MAKES_PLACE = "another connection needs its place";

    /** A connection, and how it stood when it was looked at. */
    private record Standing(ServedConnection connection, int siblings, long idleSince) {}

    private final RpcRdmaOptions options;
    private final Statistics statistics;
    private final MemoryBudget budget;
    private final ClientAccounts accounts;
    private final Maker maker;
    private final FailureLog failures;
    private final Map<QueuePair, ServedConnection> open = new ConcurrentHashMap<>();

    /**
     * @param budget of the memory of all connections
     * @param collector see {@link ClientAccounts}
     */
    ServedConnections(
            RpcRdmaOptions options,
            Statistics statistics,
            MemoryBudget budget,
            Runnable collector,
            Maker maker,
            FailureLog failures) {
        this.options = options;
        this.statistics = statistics;
        this.budget = budget;
        this.maker = maker;
        this.failures = failures;
        this.accounts =
                new ClientAccounts(options, budget.limit(), statistics, collector, this::closeIdle);
    }

    /** The connection of a queue pair; null if it has ended. */
    ServedConnection of(QueuePair queuePair) {
        return open.get(queuePair);
    }

    int count() {
        return open.size();
    }

    /** Clients that hold something now. */
    int clients() {
        return accounts.count();
    }

    /** What all connections have of something. */
    long sum(ToLongFunction<ServedConnection> of) {
        return open.values().stream().mapToLong(of).sum();
    }

    /** Lets a client in, or refuses it. */
    void accept(ConnectRequest request, CompletionQueue queue) {
        var account = admit(request);
        if (account == null) {
            refuse(request);
            return;
        }
        ServedConnection connection = null;
        try {
            connection = maker.make(request, queue, account);
        } catch (BudgetExhaustedException _) {
            // Others were quicker.
            return;
        } finally {
            if (connection == null) {
                accounts.leave(account);
                refuse(request);
            }
        }
        open.put(connection.queuePair(), connection);
        boolean accepted = false;
        try {
            connection.accept(request, options.privateData());
            statistics.count(Counter.CONNECTIONS_OPENED);
            accepted = true;
        } catch (RdmaException _) {
            // The client has given up.
        } finally {
            if (!accepted && open.remove(connection.queuePair()) != null) {
                close(connection, "the connection could not be accepted", Duration.ZERO);
            }
        }
    }

    /** Null if there is no room and none can be made. */
    private ClientAccount admit(ConnectRequest request) {
        for (int gone = 0; gone <= GOING_MAX; gone++) {
            if (open.size() >= options.connectionsMax()
                    || !budget.hasRoom(options.firstReceiveBytes())) {
                if (!closeIdle(null, accounts.connections(request.peer().getAddress()))) {
                    return null;
                }
                continue;
            }
            var entry = accounts.admit(request.peer().getAddress());
            if (entry.admission() == Admission.ADMITTED) {
                return entry.account();
            }
            if (!accounts.makeRoom(entry.account(), entry.admission())) {
                return null;
            }
        }
        return null;
    }

    private void refuse(ConnectRequest request) {
        statistics.count(Counter.CONNECTIONS_REFUSED);
        request.reject(new byte[0]);
    }

    /** Ends a connection, unless that was done before. Never throws. */
    void end(ServedConnection connection, String reason) {
        end(connection, reason, Duration.ZERO);
    }

    private void end(ServedConnection connection, String reason, Duration grace) {
        if (open.remove(connection.queuePair()) != null) {
            close(connection, reason, grace);
            statistics.count(Counter.CONNECTIONS_ENDED);
        }
    }

    private void close(ServedConnection connection, String reason, Duration grace) {
        try {
            connection.close(reason, grace);
        } catch (RuntimeException | Error broken) {
            failures.report("a connection was not closed in order", broken);
        } finally {
            accounts.leave(connection.account());
        }
    }

    /**
     * Ends the connection that has been idle for longest, of a client or of the one with most. If
     * none has been idle for a while, one between two calls will do, of a client that still has
     * more connections then than the one that it is for.
     *
     * @param siblings how many that has
     */
    private boolean closeIdle(ClientAccount of, int siblings) {
        var standings = longestIdleFirst(open.values(), of);
        for (var each : standings) {
            if (each.connection.isIdle() && endIdle(each.connection, MAKES_PLACE, false)) {
                return true;
            }
        }
        for (var each : standings) {
            if (of == null
                    && each.siblings > siblings + 1
                    && endIdle(each.connection, MAKES_PLACE, true)) {
                return true;
            }
        }
        return false;
    }

    private boolean endIdle(ServedConnection connection, String reason, boolean between) {
        if (!connection.closeIfIdle(reason, between)) {
            return false;
        }
        // The thread that polls may have noticed already.
        end(connection, reason);
        statistics.count(Counter.CONNECTIONS_IDLE);
        return true;
    }

    private static List<Standing> longestIdleFirst(
            Collection<ServedConnection> connections, ClientAccount of) {
        // What is compared changes meanwhile: it is looked at once.
        return connections.stream()
                .filter(each -> of == null || each.account() == of)
                .map(each -> new Standing(each, each.account().connections(), each.idleSince()))
                .sorted(
                        Comparator.comparingInt(Standing::siblings)
                                .reversed()
                                .thenComparing(
                                        (one, other) ->
                                                Long.signum(one.idleSince - other.idleSince)))
                .toList();
    }

    /** No descriptor is left for peers that want to come in. */
    void makeRoom() {
        closeIdle(null, 0);
    }

    /** Looks after peers that do nothing. */
    void patrol(long now) {
        boolean pressed = accounts.total().isPressed();
        for (var connection : open.values()) {
            try {
                look(connection, now, pressed ? HASTE : 1);
            } catch (RuntimeException | Error broken) {
                failures.report(RpcRdmaServer.INTERNAL_ERROR, broken);
                end(connection, "internal error: " + broken);
            }
        }
        accounts.total().tellAll();
        for (int gone = 0; gone < GOING_MAX && isScarce() && closeIdle(null, 0); gone++) {}
        budget.tidy();
    }

    private boolean isScarce() {
        return !budget.hasRoom(budget.limit() / SCARCE_PART);
    }

    private void look(ServedConnection connection, long now, int haste) {
        var reason = connection.stalled(now, haste);
        if (reason.isPresent()) {
            statistics.count(Counter.PEERS_STALLED);
            end(connection, reason.get());
        } else if (connection.isIdle()
                && now - connection.idleSince() >= options.idleTimeout().toNanos()) {
            endIdle(connection, "the connection was idle", false);
        }
    }

    /**
     * Ends all.
     *
     * @param grace how long they have together to take what was sent last
     */
    void endAll(String reason, Duration grace) {
        long start = System.nanoTime();
        for (var each : List.copyOf(open.values())) {
            var left = grace.minusNanos(System.nanoTime() - start);
            end(each, reason, left.isNegative() ? Duration.ZERO : left);
        }
    }
}
