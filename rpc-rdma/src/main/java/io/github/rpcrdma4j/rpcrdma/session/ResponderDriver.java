package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.spi.CallHandler;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import io.github.rpcrdma4j.rpcrdma.binding.Bindings;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.events.ExecutionEvent;
import io.github.rpcrdma4j.rpcrdma.events.Recordings;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.responder.BrokenCalls;
import io.github.rpcrdma4j.rpcrdma.responder.CallMark;
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
 * The driver of a responder: the calls that arrive in one direction of a connection. Cheap calls
 * run on the polling thread. At a server, usually quick calls also do, while they stay quick. Other
 * calls run on threads of their own. Thread-safe.
 *
 * <p>Tests: {@code QuickProceduresOverIwarpTest}, {@code BegunCallsOverIwarpTest}.
 */
final class ResponderDriver {
    /**
     * The objects that run and observe the calls.
     *
     * @param bindings the data items that may be placed directly
     * @param workers the threads for calls that are not cheap
     * @param broken the calls that must be refused because they broke a connection
     * @param quick decides whether usually quick calls run on the polling thread
     * @param begun counts the begun calls
     * @param failures the log of internal errors
     */
    record Service(
            Bindings bindings,
            CallThreads workers,
            BrokenCalls broken,
            QuickCalls quick,
            BegunCalls begun,
            FailureLog failures) {}

    /** A call that moves more bytes takes too long for the polling thread. */
    private static final long QUICK_BYTES = 64 << 10;

    private final ConnectionLock lock;
    private final Endpoint endpoint;
    private final Service service;
    private final InetSocketAddress peer;

    /** The address of the peer, as text. */
    private final String peerText;

    private final Optional<ReverseDirection> reverse;
    private final Optional<RpcProgram> program;

    /** Set before the first call. */
    private CallHandler handler;

    /** The client, whose waiting calls form one queue. */
    private final Object client;

    private final Responder responder;

    /**
     * The calls of the polling thread that handles completions now; null if none does. Guarded by
     * the lock.
     */
    private InlineCalls inline;

    /**
     * @param lock the lock of the connection
     * @param bounds the limits of the connection's calls
     * @param peerQuota the quota of the client; empty for a trusted peer
     * @param program a program of the profile, in addition to those of the service
     * @param reverse the reverse direction, for calls to the peer
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
        this.peerText = HostPort.text(peer);
        this.reverse = reverse;
        this.client = peerQuota.<Object>map(each -> each).orElse(this);
        this.program = program;
        this.responder =
                new Responder(
                        endpoint,
                        counters,
                        parameters,
                        bounds,
                        peerQuota
                                .map(all -> all.share(this::resume))
                                .orElse(ConnectionQuota.UNLIMITED),
                        guard(
                                peerQuota.map(PeerQuota::client).orElse(""),
                                peerQuota
                                        .flatMap(PeerQuota::address)
                                        .orElse(ClientAddress.of(peer))));
        endpoint.afterEach(this::runCalls);
    }

    /** Sets the handler of all calls, before the first call can arrive. */
    void serve(CallHandler calls) {
        handler = program.map(calls::with).orElse(calls);
        responder.plan(
                handler.bytesAheadMax(),
                call -> beyondKept(call.execution().replyBytesMax(handler, service.bindings())));
    }

    /** Returns what a reply needs, unless the memory that a connection keeps is enough. */
    private static long beyondKept(long replyBytes) {
        return replyBytes <= RpcRdmaOptions.Sizes.REPLY_BYTES ? 0 : replyBytes;
    }

    /** Returns whether memory is kept until the requester does something. The lock is held. */
    boolean awaitsRequester() {
        return responder.awaitsRequester();
    }

    /** Returns the responder. */
    Responder responder() {
        return responder;
    }

    /** Sets the parameters of the connection. This thread holds the lock. */
    void agree(ConnectionParameters parameters) {
        responder.agree(parameters);
    }

    /**
     * Checks whether the requester fetches its results in time. This thread holds the lock.
     *
     * @param timeoutDivisor the divisor of the timeout, above 1 if others wait for memory
     * @return whether the connection was closed because it does not
     */
    boolean expire(long now, int timeoutDivisor) {
        boolean isClosed = responder.expire(now, timeoutDivisor);
        runCalls();
        return isClosed;
    }

    /**
     * @param quotaOf the client that has the quota
     * @param told the client that lines of the log are about
     */
    private Guard guard(Object quotaOf, ClientAddress told) {
        var address = peer.getHostString();
        var caller = new BrokenCalls.Peer(quotaOf, address);
        return new Guard() {
            @Override
            public boolean refuses(ServedCall call) {
                return service.broken().contains(caller, call::mark, lock.nanoTime());
            }

            @Override
            public void broke(CallMark call) {
                service.broken().add(caller, call, lock.nanoTime());
            }

            @Override
            public void isTooLong(CallHeader call, long bytes, long max) {
                service.failures()
                        .warn(
                                told,
                                "the arguments of a call exceed the limit of this side",
                                (call == null ? "a long call" : call.procedureName())
                                        + " from "
                                        + address
                                        + " has "
                                        + bytes
                                        + " bytes in Read chunks, more than the "
                                        + max
                                        + " bytes of fetchedBytesPerCall");
            }

            @Override
            public void hasNoRoom(CallHeader call, String sizes) {
                service.failures()
                        .warn(
                                told,
                                "the results of "
                                        + call.procedureName()
                                        + " exceed the room that the caller offered",
                                sizes);
            }
        };
    }

    /** Returns how many calls are not finished. */
    int liveCalls() {
        lock.lock();
        try {
            return responder.liveCalls();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Resumes waiting calls after another connection returned quota. The calling thread may hold
     * the lock of that connection, so another thread resumes them.
     */
    private void resume() {
        try {
            service.workers().execute(this::resumeNow);
        } catch (RejectedExecutionException _) {
            // The server is stopping, so waiting calls do not run.
        }
    }

    /** Fetches for calls that waited for this one. The thread may hold another lock. */
    private void passedOn(ServedCall call) {
        if (call.passedOn()) {
            resume();
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
     * Sets the run queue of the polling thread while it handles completions. This thread holds the
     * lock.
     *
     * @param current the run queue; null if calls run on threads of their own
     */
    void inline(InlineCalls current) {
        inline = current;
    }

    /** Runs the ready calls. This thread holds the lock. */
    private void runCalls() {
        for (var call = responder.next(); call != null; call = responder.next()) {
            run(call);
        }
    }

    private void run(ServedCall call) {
        var header = call.execution().header();
        if (header == null || handler.runsOnReader(header)) {
            ended(call, outcome(call));
            return;
        }
        // The thread that ends a begun call also moves its data. Two threads move much data faster.
        if (call.movableBytes() <= QUICK_BYTES && begin(call)) {
            return;
        }
        boolean isQuick = isQuick(call);
        boolean stays = isQuick && inline != null && service.quick().mayRun(header.procedure());
        if (!stays || !inline.add(this, call)) {
            handOver(call, isQuick);
        }
    }

    /**
     * Begins a call, if that takes no wait. Another thread answers it later. This thread may hold
     * the lock.
     *
     * @return false if the call is to be run
     */
    private boolean begin(ServedCall call) {
        if (!handler.mayBegin(call.execution().header())) {
            return false;
        }
        var event = Recordings.beginExecution();
        boolean isBegun = false;
        service.begun().began();
        try {
            isBegun =
                    call.execution()
                            .begin(
                                    handler,
                                    service.bindings(),
                                    peer,
                                    outcome -> completed(call, event, outcome));
        } finally {
            if (!isBegun) {
                service.begun().ended();
            }
        }
        return isBegun;
    }

    /** Answers a begun call. */
    private void completed(ServedCall call, ExecutionEvent event, Execution.Outcome outcome) {
        if (event != null) {
            record(event, call, outcome);
        }
        // This thread may serve another connection, so it does not wait for the lock.
        lock.submit(
                () -> {
                    try {
                        end(call, Optional.of(outcome));
                    } finally {
                        service.begun().ended();
                    }
                });
    }

    private boolean isQuick(ServedCall call) {
        return call.movableBytes() <= QUICK_BYTES && call.execution().isUsuallyQuick(handler);
    }

    /** Runs a usually quick call on a thread of its own, which also answers it. */
    void handOver(ServedCall call) {
        handOver(call, true);
    }

    private void handOver(ServedCall call, boolean isQuick) {
        var kind = handler.kind(call.execution().header(), call.movableBytes() <= QUICK_BYTES);
        try {
            service.workers().execute(client, () -> runOnOwnThread(call, isQuick), kind);
        } catch (RuntimeException | Error none) {
            // Without this, the call would never end.
            lock.locked(() -> end(call, Optional.empty()));
            throw none;
        }
    }

    private void runOnOwnThread(ServedCall call, boolean isQuick) {
        long start = lock.nanoTime();
        // When the server stops, calls that waited for a thread do not run.
        boolean stops = Thread.currentThread().isInterrupted();
        Optional<Execution.Outcome> outcome = stops ? Optional.empty() : outcome(call);
        if (isQuick) {
            service.quick()
                    .ranOnOwnThread(call.execution().header().procedure(), lock.nanoTime() - start);
        }
        // This thread waits for the lock. Another thread would write the reply more slowly.
        lock.locked(() -> end(call, outcome));
    }

    /**
     * Runs a call on the polling thread. Returns empty if the program failed or this side is
     * shutting down.
     */
    Optional<Execution.Outcome> runOnPoller(ServedCall call) {
        long start = lock.nanoTime();
        var outcome = outcome(call);
        service.quick().ranOnPoller(call.execution().header().procedure(), lock.nanoTime() - start);
        return outcome;
    }

    /**
     * Answers finished calls on the polling thread, which does not wait. If another thread holds
     * the lock, that thread answers them. The replies are sent together.
     */
    void answer(List<InlineCalls.InlineCall> finished) {
        if (!lock.tryLockUnused()) {
            lock.submit(() -> answerTogether(finished));
            return;
        }
        try {
            answerTogether(finished);
        } finally {
            lock.unlock();
        }
    }

    /** Answers finished calls of a relieved polling thread, on another thread. */
    void answerOnOwnThread(List<InlineCalls.InlineCall> finished) {
        service.workers().execute(() -> lock.locked(() -> answerTogether(finished)));
    }

    /** Sends the replies of finished calls together. This thread holds the lock. */
    private void answerTogether(List<InlineCalls.InlineCall> finished) {
        try {
            endpoint.gather();
            for (int i = 0; i < finished.size(); i++) {
                end(finished.get(i).call(), finished.get(i).outcome());
            }
        } catch (RuntimeException | Error broken) {
            lock.internalError(broken);
        }
    }

    /**
     * Runs the program of a call. Returns empty if it was interrupted or failed; the connection
     * then ends.
     */
    private Optional<Execution.Outcome> outcome(ServedCall call) {
        var event = Recordings.beginExecution();
        try {
            var outcome =
                    call.execution()
                            .run(handler, service.bindings(), peer, reverse, () -> passedOn(call));
            if (event != null) {
                record(event, call, outcome);
            }
            return Optional.of(outcome);
        } catch (InterruptedException _) {
            return Optional.empty();
        } catch (RuntimeException | Error broken) {
            lock.locked(() -> lock.internalError(broken));
            return Optional.empty();
        }
    }

    private void record(ExecutionEvent event, ServedCall call, Execution.Outcome outcome) {
        var reply =
                switch (outcome) {
                    case ANSWERED -> call.reply();
                    case UNANSWERABLE, DROPPED -> null;
                };
        event.record(
                call.execution().header(),
                peerText,
                reply,
                outcome == Execution.Outcome.DROPPED ? "dropped" : "malformed");
    }

    /** Answers a call, and runs calls that waited for it. This thread holds the lock. */
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
