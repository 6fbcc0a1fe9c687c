package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.memory.MemoryBudget;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.PeerIdentity;
import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.oncrpc.spi.CallService;
import io.github.rpcrdma4j.oncrpc.spi.ConnectionsByAddress;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.PeerQuota.Admission;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.ConnectRequest;
import io.github.rpcrdma4j.verbs.NoResourceException;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.RdmaException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * The connections of a server. It admits new connections, and closes others if there is no room:
 * first the longest idle connection of the client with the most connections. Thread-safe. Tests:
 * {@code PeerLimitsTest}, {@code CrowdTest}.
 */
final class ServedConnections {
    /** Creates a connection for an admitted client, and posts its first receives. */
    interface Maker {
        ServedConnection make(ConnectRequest request, CompletionQueue queue, PeerQuota peerQuota);
    }

    /** The most connections that are closed for a new one. */
    private static final int CLOSED_MAX = 16;

    /** The divisor for the part of the budget below which idle connections are closed. */
    private static final int SCARCE_DIVISOR = 16;

    /** How long a connection must have stalled before it is closed for its memory. */
    private static final long STALLED_NANOS = Duration.ofMillis(500).toNanos();

    private static final String MAKES_ROOM = "closed to make room for another connection";

    private static final BooleanSupplier ONE_IS_ENOUGH = () -> true;

    private final Threads threads;
    private final RpcRdmaOptions options;
    private final Counters counters;
    private final MemoryBudget budget;
    private final PeerQuotas peerQuotas;
    private final Maker maker;
    private final CallService calls;
    private final FailureLog failures;
    private final OwnKey ownKey = OwnKey.random();
    private final Map<QueuePair, ServedConnection> open = new ConcurrentHashMap<>();

    /** The lock for removing a connection. */
    private final Object leaving = new Object();

    /**
     * @param threads the source of the clock
     * @param budget the memory budget of all connections
     * @param collector makes the polling threads look for completions, see {@link PeerQuotas}
     */
    ServedConnections(
            Threads threads,
            RpcRdmaOptions options,
            Counters counters,
            MemoryBudget budget,
            Runnable collector,
            Maker maker,
            CallService calls,
            FailureLog failures) {
        this.threads = threads;
        this.options = options;
        this.counters = counters;
        this.budget = budget;
        this.maker = maker;
        this.calls = calls;
        this.failures = failures;
        this.peerQuotas = new PeerQuotas(options, budget.limit(), counters, collector, rooms());
    }

    private PeerQuotas.RoomMaker rooms() {
        return new PeerQuotas.RoomMaker() {
            @Override
            public boolean closeOwn(PeerQuota peerQuota) {
                return endOwn(peerQuota, Optional.empty());
            }

            @Override
            public boolean closeFor(PeerQuota peerQuota, long bytes, BooleanSupplier enough) {
                return endForMemory(MemoryShortage.of(peerQuota, bytes), enough);
            }
        };
    }

    /** Returns the connection of a queue pair; null if it has ended. */
    ServedConnection of(QueuePair queuePair) {
        return open.get(queuePair);
    }

    OwnKey ownKey() {
        return ownKey;
    }

    int count() {
        return open.size();
    }

    /** Returns how many clients hold any quota now. */
    int clients() {
        return peerQuotas.count();
    }

    /** Returns the sum of a value over all connections. */
    long sum(ToLongFunction<ServedConnection> of) {
        return open.values().stream().mapToLong(of).sum();
    }

    /** Returns some connections, at most so many. */
    List<ServedConnection> some(int max) {
        return open.values().stream().limit(max).toList();
    }

    /** Accepts or refuses a connection. The client gets an answer also if something fails. */
    void accept(ConnectRequest request, CompletionQueue queue) {
        try {
            answer(request, queue);
        } catch (RuntimeException | Error broken) {
            refuseUnanswered(request);
            throw broken;
        }
    }

    private void answer(ConnectRequest request, CompletionQueue queue) {
        // A provider that does not ask has connections whose sockets are not of this process.
        var identity =
                request.identity()
                        .map(PeerIdentity.class::cast)
                        .orElseGet(
                                () ->
                                        calls.identifier()
                                                .identify(request.peer(), Optional.empty()));
        var peerQuota = admit(request, identity);
        if (peerQuota == null) {
            refuse(request);
            return;
        }
        ServedConnection connection = null;
        try {
            connection = maker.make(request, queue, peerQuota);
        } catch (BudgetExhaustedException _) {
            // Other connections have taken the memory meanwhile.
            return;
        } catch (NoResourceException none) {
            failures.warn("a client was refused", none.getMessage());
            return;
        } finally {
            if (connection == null) {
                peerQuotas.leave(peerQuota);
                refuse(request);
            }
        }
        open.put(connection.queuePair(), connection);
        boolean accepted = false;
        try {
            var peer = new ConnectedPeer(connection, identity, this::end);
            connection.serve(calls.connected(peer));
            connection.accept(request, options.privateData());
            counters.count(Counter.CONNECTIONS_OPENED);
            accepted = true;
        } catch (RdmaException _) {
            // The client has given up.
        } catch (IOException unserved) {
            failures.refused(identity.client(), request.peer(), unserved);
            refuse(request);
        } catch (InterruptedException _) {
            refuse(request);
        } catch (IllegalStateException closed) {
            if (open.containsKey(connection.queuePair())) {
                throw closed;
            }
            // The handler of its calls has ended the connection meanwhile.
            var early = new IOException("it ended before it was accepted");
            failures.refused(identity.client(), request.peer(), early);
            refuseUnanswered(request);
        } finally {
            if (!accepted && remove(connection)) {
                close(connection, "the connection could not be accepted", Duration.ZERO);
            }
        }
    }

    /**
     * Admits a connection, and returns the quota of its client. Returns null if there is no room
     * and none can be made.
     */
    private PeerQuota admit(ConnectRequest request, PeerIdentity identity) {
        Object client = ownKey.isBehind(request.privateData()) ? ownKey : identity.client();
        for (int closed = 0; closed <= CLOSED_MAX; closed++) {
            boolean tooMany = open.size() >= options.connectionsMax();
            if (tooMany || !budget.hasRoom(options.sizes().firstReceiveMemory())) {
                long bytes = options.sizes().firstReceiveMemory();
                var shortage = MemoryShortage.of(peerQuotas.of(client), bytes);
                boolean ended =
                        tooMany
                                ? endAny(shortage.connections())
                                : endForMemory(shortage, () -> budget.hasRoom(bytes));
                if (!ended) {
                    return null;
                }
                continue;
            }
            var entry = peerQuotas.admit(client);
            if (entry.admission() == Admission.ADMITTED) {
                return entry.peerQuota();
            }
            var full = entry.peerQuota();
            boolean made =
                    entry.admission() == Admission.CLIENT_IS_FULL
                            ? endOwn(full, Optional.of(request.peer()))
                            : peerQuotas.makeRoom(
                                    full, entry.admission(), options.sizes().firstReceiveMemory());
            if (!made) {
                return null;
            }
        }
        return null;
    }

    private void refuse(ConnectRequest request) {
        counters.count(Counter.CONNECTIONS_REFUSED);
        request.reject(new byte[0]);
    }

    private void refuseUnanswered(ConnectRequest request) {
        try {
            request.reject(new byte[0]);
            counters.count(Counter.CONNECTIONS_REFUSED);
        } catch (IllegalStateException _) {
            // It was answered before.
        }
    }

    /** Closes and removes a connection, if it was not removed before. It never throws. */
    void end(ServedConnection connection, String reason) {
        end(connection, reason, Duration.ZERO);
    }

    private void end(ServedConnection connection, String reason, Duration grace) {
        if (remove(connection)) {
            close(connection, reason, grace);
            counters.count(Counter.CONNECTIONS_ENDED);
        }
    }

    /**
     * Removes a connection, if it was not removed before. When this returns, its client has one
     * connection less, even if another thread removed it. A thread that makes room therefore does
     * not close two.
     */
    private boolean remove(ServedConnection connection) {
        synchronized (leaving) {
            if (open.remove(connection.queuePair()) == null) {
                return false;
            }
            peerQuotas.leave(connection.peerQuota());
            return true;
        }
    }

    private void close(ServedConnection connection, String reason, Duration grace) {
        try {
            connection.close(reason, grace);
        } catch (RuntimeException | Error broken) {
            failures.report("a connection was not closed in order", broken);
        }
    }

    /**
     * Closes a connection of a client that has too much: the longest idle one of its addresses with
     * the most, or else one of these that waits for its peer, or one between two calls if the
     * address then still has more than the asking one. If there is none, it is one of another
     * address, but not the only one.
     *
     * @param asking the address of a new connection; empty if an open one needs more memory
     */
    private boolean endOwn(PeerQuota of, Optional<InetSocketAddress> asking) {
        var own = open.values().stream().filter(each -> each.peerQuota() == of).toList();
        var byAddress = new ConnectionsByAddress<>(own, ServedConnection::peer);
        var fullest = Set.copyOf(byAddress.ofFullest());
        boolean mayBeInUse = asking.filter(byAddress::haveMoreThan).isPresent();
        return endOneOf(fullest::contains)
                || mayBeInUse
                        && endBetween(fullest::contains, Standing.MOST_CONNECTIONS, ONE_IS_ENOUGH)
                || endOneOf(each -> each.peerQuota() == of && !byAddress.isOnlyOne(each.peer()));
    }

    private boolean endOneOf(Predicate<ServedConnection> which) {
        return endIdle(which, Standing.MOST_CONNECTIONS, ONE_IS_ENOUGH)
                || endStalled(which, _ -> STALLED_NANOS, ONE_IS_ENOUGH);
    }

    /**
     * Closes the longest idle connection of the client with the most connections. If no connection
     * is idle, it closes one that waits for its peer, or one between two calls, of a client that
     * then still has more connections than the asking client.
     *
     * @param siblings how many connections the asking client has
     */
    private boolean endAny(int siblings) {
        Predicate<ServedConnection> oneOfMany =
                each -> each.peerQuota().connections() > siblings + 1;
        return endIdle(_ -> true, Standing.MOST_CONNECTIONS, ONE_IS_ENOUGH)
                || endStalled(oneOfMany, _ -> STALLED_NANOS, ONE_IS_ENOUGH)
                || endBetween(oneOfMany, Standing.MOST_CONNECTIONS, ONE_IS_ENOUGH);
    }

    /**
     * Closes connections for their memory, until it is enough.
     *
     * <p>A greedy client holds more than the asking client, and more than an equal part. Its idle
     * connections are closed first, then its stalled ones, because a peer that does not accept its
     * data is never idle. Next are idle connections of clients with more connections than the
     * asking client. If the asking client itself holds much, it displaces only clients that hold as
     * much. Next are stalled connections of any client that will hold more than the asking client.
     * Therefore many clients with equal parts cannot keep out a client with less. The last are idle
     * connections of the remaining clients, and connections of greedy clients between two calls.
     *
     * @param enough evaluated after each closed connection; true ends the search
     * @return whether it was enough
     */
    private boolean endForMemory(MemoryShortage shortage, BooleanSupplier enough) {
        long held = shortage.held();
        long part = Math.max(peerQuotas.equalPart(), held);
        Predicate<ServedConnection> greedy = each -> each.peerQuota().bytes() > part;
        boolean modest = shortage.isModest(peerQuotas.equalPart(), options.sizes().receiveMemory());
        Predicate<ServedConnection> other = each -> modest || each.peerQuota().bytes() >= held;
        return endIdle(greedy, Standing.MOST_BYTES, enough)
                || endStalled(greedy, _ -> STALLED_NANOS, enough)
                || endIdle(
                        other.and(each -> each.peerQuota().connections() > shortage.connections()),
                        Standing.MOST_CONNECTIONS,
                        enough)
                || endStalled(
                        each -> each.peerQuota().bytes() > shortage.heldThen(),
                        each -> shortage.patience(each.bytes(), STALLED_NANOS),
                        enough)
                || endIdle(other, Standing.MOST_CONNECTIONS, enough)
                || endBetween(greedy, Standing.MOST_BYTES, enough);
    }

    private boolean endStalled(
            Predicate<ServedConnection> which,
            ToLongFunction<PeerQuota> nanos,
            BooleanSupplier enough) {
        return endEach(
                which.and(each -> !each.isIdle()),
                Standing.MOST_BYTES,
                each -> endStalled(each, nanos.applyAsLong(each.peerQuota())),
                enough);
    }

    private boolean endStalled(ServedConnection connection, long nanos) {
        var patience = peerQuotas.patience(connection.peerQuota());
        if (!connection.closeIfStalled(MAKES_ROOM, nanos, patience)) {
            return false;
        }
        counters.count(Counter.PEERS_STALLED);
        tellStalled(connection, MAKES_ROOM);
        end(connection, MAKES_ROOM);
        return true;
    }

    /** The client sees its connection end without a word, so the operator is told. */
    private void tellStalled(ServedConnection connection, String reason) {
        failures.warn(
                connection.peerQuota().address().orElse(ClientAddress.of(connection.peer())),
                "a connection was closed, because its client stalled it",
                HostPort.text(connection.peer()) + ": " + reason);
    }

    private boolean endIdle(
            Predicate<ServedConnection> which, Comparator<Standing> first, BooleanSupplier enough) {
        return endEach(
                which.and(ServedConnection::isIdle),
                first,
                each -> endIdle(each, MAKES_ROOM, false),
                enough);
    }

    private boolean endBetween(
            Predicate<ServedConnection> which, Comparator<Standing> first, BooleanSupplier enough) {
        return endEach(which, first, each -> endIdle(each, MAKES_ROOM, true), enough);
    }

    /**
     * Closes connections in an order until it is enough.
     *
     * @param ended closes a connection; returns false if that is not allowed
     */
    private boolean endEach(
            Predicate<ServedConnection> which,
            Comparator<Standing> first,
            Predicate<ServedConnection> ended,
            BooleanSupplier enough) {
        // Usually one of thousands is closed, so a full sort would be wasted.
        var standings = new PriorityQueue<>(first.thenComparing(Standing.LONGEST_IDLE));
        for (var each : open.values()) {
            if (which.test(each)) {
                standings.add(Standing.of(each));
            }
        }
        for (var next = standings.poll(); next != null; next = standings.poll()) {
            if (ended.test(next.connection()) && enough.getAsBoolean()) {
                return true;
            }
        }
        return false;
    }

    private boolean endIdle(ServedConnection connection, String reason, boolean between) {
        if (!connection.closeIfIdle(reason, between)) {
            return false;
        }
        // The polling thread may have removed the connection already.
        end(connection, reason);
        counters.count(Counter.CONNECTIONS_IDLE);
        return true;
    }

    /** Closes a connection because new peers find no descriptor or memory. */
    void makeRoom() {
        endAny(0);
    }

    /**
     * Closes stalled and idle connections, resumes waiting calls, and frees memory if it is scarce.
     */
    void patrol(long now) {
        for (var connection : open.values()) {
            try {
                check(connection, now);
            } catch (RuntimeException | Error broken) {
                EndReason.log(failures, ServerThreads.INTERNAL_ERROR, broken);
                end(connection, EndReason.of(broken));
            }
        }
        peerQuotas.total().resumeAll();
        if (isScarce()) {
            var closed = new int[1];
            var shortage = new MemoryShortage(0, peerQuotas.equalPart(), 0);
            endForMemory(shortage, () -> ++closed[0] == CLOSED_MAX || !isScarce());
        }
        budget.tidy();
    }

    private boolean isScarce() {
        return !budget.hasRoom(budget.limit() / SCARCE_DIVISOR);
    }

    private void check(ServedConnection connection, long now) {
        var reason = connection.stalled(now, peerQuotas.patience(connection.peerQuota()));
        if (reason.isPresent()) {
            counters.count(Counter.PEERS_STALLED);
            tellStalled(connection, reason.get());
            end(connection, reason.get());
        } else if (connection.isIdle()
                && now - connection.idleSince() >= Timeouts.nanos(options.idleTimeout())) {
            endIdle(connection, "the connection was idle", false);
        }
    }

    /**
     * Closes all connections.
     *
     * @param grace how long all peers together have to accept posted work
     */
    void endAll(String reason, Duration grace) {
        long start = threads.nanoTime();
        for (var each : List.copyOf(open.values())) {
            var left = grace.minusNanos(threads.nanoTime() - start);
            end(each, reason, left.isNegative() ? Duration.ZERO : left);
        }
    }
}
