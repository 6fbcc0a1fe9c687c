package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.memory.MemoryBudget;
import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.PeerQuota.Admission;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.ConnectRequest;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.RdmaException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * The connections of a server: who is let in, and who has to go. Where there is no room for a new
 * one, the one that has been idle for longest makes it, of the client with the most connections.
 * Thread-safe.
 */
final class ServedConnections {
    /** Makes a connection for a client that is let in; posts its first receives. */
    interface Maker {
        ServedConnection make(ConnectRequest request, CompletionQueue queue, PeerQuota peerQuota);
    }

    /** So many idle connections go at the most for one that comes. */
    private static final int GOING_MAX = 16;

    /** When less than this part of the budget is left, idle connections go. */
    private static final int SCARCE_PART = 16;

    /** Where calls wait for memory, peers that hold it up have this part of their time. */
    private static final int HASTE = 8;

    /** How long nothing has moved on a connection that is ended for what it holds. */
    private static final long HELD_UP_NANOS = Duration.ofMillis(500).toNanos();

    /** Who has no more than these hold is served where memory is short, whatever others hold. */
    private static final int FEW_CONNECTIONS = 4;

    private static final String MAKES_PLACE = "another connection needs its place";

    private static final BooleanSupplier ONE_IS_ENOUGH = () -> true;

    /** A connection, and how it stood when it was looked at: what is compared changes meanwhile. */
    private record Standing(ServedConnection connection, int siblings, long bytes, long idleSince) {
        static Standing of(ServedConnection connection) {
            var peerQuota = connection.peerQuota();
            return new Standing(
                    connection, peerQuota.connections(), peerQuota.bytes(), connection.idleSince());
        }
    }

    private static final Comparator<Standing> MOST_CONNECTIONS =
            Comparator.comparingInt(Standing::siblings).reversed();
    private static final Comparator<Standing> MOST_BYTES =
            Comparator.comparingLong(Standing::bytes).reversed();
    private static final Comparator<Standing> LONGEST_IDLE =
            (one, other) -> Long.signum(one.idleSince - other.idleSince);

    private final Threads threads;
    private final RpcRdmaOptions options;
    private final Counters counters;
    private final MemoryBudget budget;
    private final PeerQuotas peerQuotas;
    private final Maker maker;
    private final FailureLog failures;
    private final Map<QueuePair, ServedConnection> open = new ConcurrentHashMap<>();

    /** Held while a connection is taken out. */
    private final Object leaving = new Object();

    /**
     * @param threads whose clock is used
     * @param budget of the memory of all connections
     * @param collector see {@link PeerQuotas}
     */
    ServedConnections(
            Threads threads,
            RpcRdmaOptions options,
            Counters counters,
            MemoryBudget budget,
            Runnable collector,
            Maker maker,
            FailureLog failures) {
        this.threads = threads;
        this.options = options;
        this.counters = counters;
        this.budget = budget;
        this.maker = maker;
        this.failures = failures;
        this.peerQuotas = new PeerQuotas(options, budget.limit(), counters, collector, rooms());
    }

    private PeerQuotas.RoomMaker rooms() {
        return new PeerQuotas.RoomMaker() {
            @Override
            public boolean closeOwn(PeerQuota peerQuota) {
                return endOwn(peerQuota);
            }

            @Override
            public boolean closeFor(PeerQuota peerQuota, long bytes, BooleanSupplier enough) {
                return endForMemory(MemoryShortage.of(peerQuota, bytes), enough);
            }
        };
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
        return peerQuotas.count();
    }

    /** What all connections have of something. */
    long sum(ToLongFunction<ServedConnection> of) {
        return open.values().stream().mapToLong(of).sum();
    }

    /** Lets a client in, or refuses it. */
    void accept(ConnectRequest request, CompletionQueue queue) {
        var peerQuota = admit(request);
        if (peerQuota == null) {
            refuse(request);
            return;
        }
        ServedConnection connection = null;
        try {
            connection = maker.make(request, queue, peerQuota);
        } catch (BudgetExhaustedException _) {
            // Others were quicker.
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
            connection.accept(request, options.privateData());
            counters.count(Counter.CONNECTIONS_OPENED);
            accepted = true;
        } catch (RdmaException _) {
            // The client has given up.
        } finally {
            if (!accepted && remove(connection)) {
                close(connection, "the connection could not be accepted", Duration.ZERO);
            }
        }
    }

    /** Null if there is no room and none can be made. */
    private PeerQuota admit(ConnectRequest request) {
        for (int gone = 0; gone <= GOING_MAX; gone++) {
            boolean tooMany = open.size() >= options.connectionsMax();
            if (tooMany || !budget.hasRoom(options.sizes().firstReceiveBytes())) {
                long bytes = options.sizes().firstReceiveBytes();
                var wish = MemoryShortage.of(peerQuotas.of(request.peer().getAddress()), bytes);
                boolean ended =
                        tooMany
                                ? endAny(wish.connections())
                                : endForMemory(wish, () -> budget.hasRoom(bytes));
                if (!ended) {
                    return null;
                }
                continue;
            }
            var entry = peerQuotas.admit(request.peer().getAddress());
            if (entry.admission() == Admission.ADMITTED) {
                return entry.peerQuota();
            }
            if (!peerQuotas.makeRoom(
                    entry.peerQuota(), entry.admission(), options.sizes().firstReceiveBytes())) {
                return null;
            }
        }
        return null;
    }

    private void refuse(ConnectRequest request) {
        counters.count(Counter.CONNECTIONS_REFUSED);
        request.reject(new byte[0]);
    }

    /** Ends a connection, unless that was done before. Never throws. */
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
     * Takes a connection out, unless that was done before. When this returns its client has one
     * less, whichever thread did it: one that makes room for another does not end two.
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

    /** Ends the connection of a client that has been idle for longest. */
    private boolean endOwn(PeerQuota of) {
        return endIdle(each -> each.peerQuota() == of, MOST_CONNECTIONS, ONE_IS_ENOUGH);
    }

    /**
     * Ends the connection that has been idle for longest, of the client with most. If none has been
     * idle for a while, one between two calls will do, of a client that still has more connections
     * then than the one that it is for.
     *
     * @param siblings how many that has
     */
    private boolean endAny(int siblings) {
        return endIdle(_ -> true, MOST_CONNECTIONS, ONE_IS_ENOUGH)
                || endBetween(
                        each -> each.peerQuota().connections() > siblings + 1,
                        MOST_CONNECTIONS,
                        ONE_IS_ENOUGH);
    }

    /**
     * Ends connections for the memory that they hold. First come those of clients that hold more
     * than the one that it is for and more than an equal part: of them whatever does not move may
     * go, as peers that do not take what they ask for are never idle. Others lose what is idle, but
     * not to a client that holds much itself, and more than they do. Many clients that hold an
     * equal part each are no reason to turn one away that has less: they too lose what does not
     * move, before a client with as few connections loses what is idle.
     *
     * @param enough asked after each that has ended
     * @return whether it became enough
     */
    private boolean endForMemory(MemoryShortage wish, BooleanSupplier enough) {
        long held = wish.held();
        long part = Math.max(peerQuotas.equalPart(), held);
        Predicate<ServedConnection> greedy = each -> each.peerQuota().bytes() > part;
        boolean modest =
                held
                        <= Math.max(
                                peerQuotas.equalPart(),
                                FEW_CONNECTIONS * options.sizes().receiveBytes());
        Predicate<ServedConnection> other = each -> modest || each.peerQuota().bytes() >= held;
        return endIdle(greedy, MOST_BYTES, enough)
                || endHeldUp(greedy, _ -> HELD_UP_NANOS, enough)
                || endIdle(
                        other.and(each -> each.peerQuota().connections() > wish.connections()),
                        MOST_CONNECTIONS,
                        enough)
                || endHeldUp(
                        each -> each.peerQuota().bytes() > wish.heldThen(),
                        each -> wish.patience(each.bytes(), HELD_UP_NANOS),
                        enough)
                || endIdle(other, MOST_CONNECTIONS, enough)
                || endBetween(greedy, MOST_BYTES, enough);
    }

    private boolean endHeldUp(
            Predicate<ServedConnection> which,
            ToLongFunction<PeerQuota> nanos,
            BooleanSupplier enough) {
        return endEach(
                which.and(each -> !each.isIdle()),
                MOST_BYTES,
                each -> endHeldUp(each, nanos.applyAsLong(each.peerQuota())),
                enough);
    }

    private boolean endHeldUp(ServedConnection connection, long nanos) {
        if (!connection.closeIfHeldUp(MAKES_PLACE, nanos)) {
            return false;
        }
        end(connection, MAKES_PLACE);
        counters.count(Counter.PEERS_STALLED);
        return true;
    }

    private boolean endIdle(
            Predicate<ServedConnection> which, Comparator<Standing> first, BooleanSupplier enough) {
        return endEach(
                which.and(ServedConnection::isIdle),
                first,
                each -> endIdle(each, MAKES_PLACE, false),
                enough);
    }

    private boolean endBetween(
            Predicate<ServedConnection> which, Comparator<Standing> first, BooleanSupplier enough) {
        return endEach(which, first, each -> endIdle(each, MAKES_PLACE, true), enough);
    }

    /**
     * Ends connections in an order until it is enough.
     *
     * @param ended ends one; false if it may not go
     */
    private boolean endEach(
            Predicate<ServedConnection> which,
            Comparator<Standing> first,
            Predicate<ServedConnection> ended,
            BooleanSupplier enough) {
        // Mostly one is taken of thousands, so they are not sorted.
        var standings = new PriorityQueue<>(first.thenComparing(LONGEST_IDLE));
        for (var each : open.values()) {
            if (which.test(each)) {
                standings.add(Standing.of(each));
            }
        }
        for (var next = standings.poll(); next != null; next = standings.poll()) {
            if (ended.test(next.connection) && enough.getAsBoolean()) {
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
        counters.count(Counter.CONNECTIONS_IDLE);
        return true;
    }

    /** No descriptor is left for peers that want to come in. */
    void makeRoom() {
        endAny(0);
    }

    /** Looks after peers that do nothing. */
    void patrol(long now) {
        boolean pressed = peerQuotas.total().isPressed();
        for (var connection : open.values()) {
            try {
                look(connection, now, pressed ? HASTE : 1);
            } catch (RuntimeException | Error broken) {
                failures.report(ServerThreads.INTERNAL_ERROR, broken);
                end(connection, "internal error: " + broken);
            }
        }
        peerQuotas.total().tellAll();
        if (isScarce()) {
            var gone = new int[1];
            var wish = new MemoryShortage(0, peerQuotas.equalPart(), 0);
            endForMemory(wish, () -> ++gone[0] == GOING_MAX || !isScarce());
        }
        budget.tidy();
    }

    private boolean isScarce() {
        return !budget.hasRoom(budget.limit() / SCARCE_PART);
    }

    private void look(ServedConnection connection, long now, int haste) {
        var reason = connection.stalled(now, haste);
        if (reason.isPresent()) {
            counters.count(Counter.PEERS_STALLED);
            end(connection, reason.get());
        } else if (connection.isIdle()
                && now - connection.idleSince() >= Timeouts.nanos(options.idleTimeout())) {
            endIdle(connection, "the connection was idle", false);
        }
    }

    /**
     * Ends all.
     *
     * @param grace how long they have together to take what was sent last
     */
    void endAll(String reason, Duration grace) {
        long start = threads.nanoTime();
        for (var each : List.copyOf(open.values())) {
            var left = grace.minusNanos(threads.nanoTime() - start);
            end(each, reason, left.isNegative() ? Duration.ZERO : left);
        }
    }
}
