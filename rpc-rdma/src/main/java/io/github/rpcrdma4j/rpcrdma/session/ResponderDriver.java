package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.binding.Bindings;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.events.ExecutionEvent;
import io.github.rpcrdma4j.rpcrdma.responder.BrokenCalls;
import io.github.rpcrdma4j.rpcrdma.responder.ConnectionQuota;
import io.github.rpcrdma4j.rpcrdma.responder.Execution;
import io.github.rpcrdma4j.rpcrdma.responder.Guard;
import io.github.rpcrdma4j.rpcrdma.responder.Responder;
import io.github.rpcrdma4j.rpcrdma.responder.ServedCall;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;

/**
 * The calls that come by one direction of a connection. Cheap ones run on the thread that polls, so
 * do usually quick ones at a server as long as they are, and others not. Thread-safe.
 */
final class ResponderDriver {
    /**
     * What is served, and by whom.
     *
     * @param bindings which data items may be placed directly
     * @param workers run calls that are not cheap
     * @param broken calls that are not to be tried again
     * @param quick whether calls are quick that usually are
     * @param failures says what went wrong by a mistake of ours
     */
    record Service(
            RpcDispatcher dispatcher,
            Bindings bindings,
            CallThreads workers,
            BrokenCalls broken,
            QuickCalls quick,
            FailureLog failures) {}

    /** A call that moves more bytes takes too long for the thread that polls. */
    private static final long QUICK_BYTES = 64 << 10;

    private final ConnectionLock lock;
    private final Endpoint endpoint;
    private final Service service;
    private final InetSocketAddress peer;
    private final Optional<ReverseDirection> reverse;
    private final RpcDispatcher dispatcher;

    /** Whose calls have one line, and wait for each other. */
    private final Object client;

    private final Responder responder;

    /** Calls of the thread that handles what arrived; null while none does. Guarded by the lock. */
    private InlineCalls inline;

    /**
     * @param lock of the connection
     * @param bounds of the connection
     * @param peerQuota of the client; empty for a peer that is trusted
     * @param program beside those of the service
     * @param reverse the way back to the peer
     */
    ResponderDriver(
            ConnectionLock lock,
            Endpoint endpoint,
            Counters counters,
            ConnectionParameters parameters,
            Responder.Bounds bounds,
            Service service,
            InetSocketAddress peer,
            Optional<PeerQuota> peerQuota,
            Optional<RpcProgram> program,
            Optional<ReverseDirection> reverse) {
        this.lock = lock;
        this.endpoint = endpoint;
        this.service = service;
        this.peer = peer;
        this.reverse = reverse;
        this.client = peerQuota.<Object>map(each -> each).orElse(this);
        this.dispatcher = program.map(service.dispatcher()::with).orElseGet(service::dispatcher);
        this.responder =
                new Responder(
                        endpoint,
                        counters,
                        parameters,
                        bounds,
                        peerQuota
                                .map(all -> all.share(this::resume))
                                .orElse(ConnectionQuota.UNLIMITED),
                        guard());
        endpoint.afterEach(this::runCalls);
    }

    /** Takes the calls. */
    Responder responder() {
        return responder;
    }

    /** From now on that holds of the client; the lock is held by this thread. */
    void agree(ConnectionParameters parameters) {
        responder.agree(parameters);
    }

    /**
     * Looks after a requester that does not fetch its results; the lock is held by this thread.
     *
     * @return whether the connection was closed for that
     */
    boolean expire(long now) {
        boolean isClosed = responder.expire(now);
        runCalls();
        return isClosed;
    }

    private Guard guard() {
        var client = peer.getHostString();
        return new Guard() {
            @Override
            public boolean refuses(int xid) {
                return service.broken().contains(client, xid, lock.nanoTime());
            }

            @Override
            public void broke(int xid) {
                service.broken().add(client, xid, lock.nanoTime());
            }

            @Override
            public void hasNoRoom(CallHeader call, String sizes) {
                service.failures()
                        .warn(
                                "results of "
                                        + call.procedureName()
                                        + " do not fit what a caller has room for",
                                sizes);
            }
        };
    }

    /** Calls that are not finished. */
    int liveCalls() {
        lock.lock();
        try {
            return responder.liveCalls();
        } finally {
            lock.unlock();
        }
    }

    /** Another connection of the client gave something back, on a thread with its lock. */
    private void resume() {
        try {
            service.workers().execute(this::resumeNow);
        } catch (RejectedExecutionException _) {
            // The server is stopping: calls that wait are not carried out.
        }
    }

    private void resumeNow() {
        lock.locked(
                () -> {
                    responder.resume();
                    runCalls();
                });
    }

    /**
     * Sets the calls of the thread that polls, for as long as it handles what arrived; the lock is
     * held by this thread.
     *
     * @param current null if calls go to threads of their own
     */
    void inline(InlineCalls current) {
        inline = current;
    }

    /** Runs the calls that are ready; the lock is held by this thread. */
    private void runCalls() {
        for (var call = responder.next(); call != null; call = responder.next()) {
            run(call);
        }
    }

    private void run(ServedCall call) {
        var header = call.execution().header();
        if (header == null || dispatcher.runsOnReader(header)) {
            ended(call, outcome(call));
            return;
        }
        boolean isQuick = isQuick(call);
        boolean stays = isQuick && inline != null && service.quick().mayRun(header.procedure());
        if (!stays || !inline.add(this, call)) {
            handOver(call, isQuick);
        }
    }

    private boolean isQuick(ServedCall call) {
        return call.movableBytes() <= QUICK_BYTES
                && dispatcher.isUsuallyQuick(call.execution().header());
    }

    /** Has a thread of its own carry out a usually quick call and answer it. */
    void handOver(ServedCall call) {
        handOver(call, true);
    }

    private void handOver(ServedCall call, boolean isQuick) {
        var kind = dispatcher.kind(call.execution().header(), call.movableBytes() <= QUICK_BYTES);
        try {
            service.workers().carryOut(client, () -> carryOutApart(call, isQuick), kind);
        } catch (RuntimeException | Error none) {
            // It would never end.
            lock.locked(() -> end(call, Optional.empty()));
            throw none;
        }
    }

    private void carryOutApart(ServedCall call, boolean isQuick) {
        long start = lock.nanoTime();
        // When the server stops, calls that wait for a thread are not asked of the program.
        boolean stops = Thread.currentThread().isInterrupted();
        Optional<Execution.Outcome> outcome = stops ? Optional.empty() : outcome(call);
        if (isQuick) {
            service.quick().apart(call.execution().header().procedure(), lock.nanoTime() - start);
        }
        // This thread may wait: one that writes what others have read writes it slower.
        lock.locked(() -> end(call, outcome));
    }

    /** Carries a call out, on the thread that polls; empty if this side is shutting down. */
    Optional<Execution.Outcome> carryOut(ServedCall call) {
        long start = lock.nanoTime();
        var outcome = outcome(call);
        service.quick().polled(call.execution().header().procedure(), lock.nanoTime() - start);
        return outcome;
    }

    /**
     * Answers calls that were carried out, on the thread that polls, which does not wait: if
     * another thread has the lock, that one answers them. The replies leave together.
     */
    void answer(List<InlineCalls.Due> carriedOut) {
        if (!lock.tryLockUnused()) {
            lock.leave(() -> answerTogether(carriedOut));
            return;
        }
        try {
            answerTogether(carriedOut);
        } finally {
            lock.unlock();
        }
    }

    /** Answers calls that were carried out by a thread that is held up now. */
    void answerApart(List<InlineCalls.Due> carriedOut) {
        service.workers().execute(() -> lock.locked(() -> answerTogether(carriedOut)));
    }

    /** The lock is held by this thread. */
    private void answerTogether(List<InlineCalls.Due> carriedOut) {
        try {
            endpoint.gather();
            for (int i = 0; i < carriedOut.size(); i++) {
                end(carriedOut.get(i).call(), carriedOut.get(i).outcome());
            }
        } catch (RuntimeException | Error broken) {
            lock.mistaken(broken);
        }
    }

    /** Has the program carry a call out; empty if that cannot be, and the connection ends. */
    private Optional<Execution.Outcome> outcome(ServedCall call) {
        var event = ExecutionEvent.begun();
        try {
            var outcome = call.execution().run(dispatcher, service.bindings(), peer, reverse);
            if (event != null) {
                event.record(call.execution().header(), peer, outcome);
            }
            return Optional.of(outcome);
        } catch (InterruptedException _) {
            return Optional.empty();
        } catch (RuntimeException | Error broken) {
            lock.locked(() -> lock.mistaken(broken));
            return Optional.empty();
        }
    }

    /** Answers a call, and runs those that waited for that; the lock is held by this thread. */
    private void end(ServedCall call, Optional<Execution.Outcome> outcome) {
        ended(call, outcome);
        runCalls();
    }

    private void ended(ServedCall call, Optional<Execution.Outcome> outcome) {
        if (outcome.isEmpty()) {
            endpoint.close("this side is shutting down");
        }
        responder.ended(call, outcome.orElse(Execution.Outcome.UNANSWERABLE));
    }
}
