package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.oncrpc.spi.CallHandler;
import java.util.concurrent.RejectedExecutionException;

/**
 * The calls of a connection of a server that do not run on the thread that reads it: each waits for
 * its turn in the connection, then for the quota of its client, and then for a thread. Thread-safe.
 *
 * <p>Tests: {@code TcpQuotasTest}.
 */
final class ServedCalls {
    private final ServedStream stream;
    private final StreamService service;
    private final ClientQuotas.Quota quota;
    private final BegunAnswers begun;
    private final CallTurns turns;

    /** Set before the first call. */
    private CallHandler handler;

    ServedCalls(ServedStream stream, StreamService service, ServedWrites writes) {
        this.stream = stream;
        this.service = service;
        this.quota = stream.quota();
        this.begun = new BegunAnswers(stream, this, service, writes);
        var options = service.options();
        this.turns = new CallTurns(options.callsPerConnectionMax(), options.callsWaitingMax());
    }

    /** Sets what carries out the calls, before the first call. */
    void handler(CallHandler of) {
        handler = of;
    }

    /** Returns the turns of the calls. */
    CallTurns turns() {
        return turns;
    }

    /**
     * Begins others in the places of calls that hang.
     *
     * @param now the time by the clock of the server
     */
    void passOverHanging(long now) {
        for (var each : turns.passOver(now, quota::countHanging)) {
            try {
                beginInTurn(each);
            } catch (RuntimeException | Error broken) {
                // The others begin nevertheless: each has its turn already.
                stream.failed(broken);
                stream.close();
            }
        }
    }

    /** Releases the calls that wait for their turns. They do not run. */
    void removeWaiting() {
        turns.removeWaiting().forEach(call -> stream.release(call.message()));
    }

    /**
     * Passes a call to a thread of its own, unless it has to wait for the end of another one. The
     * thread that reads the connection does not wait for other clients: replies to calls of this
     * side may follow.
     */
    void begin(CallTurns.Arrived call) throws InterruptedException {
        if (turns.admit(call)) {
            beginInTurn(call);
        }
    }

    private void beginInTurn(CallTurns.Arrived call) {
        if (quota.tryStartCall()) {
            beginNow(call);
            return;
        }
        boolean isWaiting = false;
        try {
            service.threads().execute(() -> beginLater(call));
            isWaiting = true;
        } catch (RejectedExecutionException _) {
            // The server is closing.
            stream.close();
        } finally {
            if (!isWaiting) {
                abandon(call);
            }
        }
    }

    /** Begins a counted call, or passes it to a thread of its own. */
    private void beginNow(CallTurns.Arrived call) {
        boolean isBegun = false;
        boolean hasFailed = true;
        try {
            isBegun = begun.begin(call, handler, stream.address());
            hasFailed = false;
        } finally {
            if (hasFailed) {
                ended(call);
            }
        }
        if (!isBegun) {
            execute(call);
        }
    }

    /** Begins a call when the quota of its client allows it. */
    private void beginLater(CallTurns.Arrived call) {
        boolean isCounted = false;
        try {
            isCounted = quota.startCall(stream);
        } catch (InterruptedException _) {
            // The server is closing.
            stream.close();
        } finally {
            if (!isCounted) {
                abandon(call);
            }
        }
        if (isCounted) {
            execute(call);
        }
    }

    /** Ends a call that was not counted, because the connection is lost, and all that wait. */
    private void abandon(CallTurns.Arrived call) {
        for (var each = call; each != null; each = turns.ended(each)) {
            stream.release(each.message());
        }
    }

    /** Runs a counted call on a thread of its own. */
    private void execute(CallTurns.Arrived call) {
        boolean isStarted = false;
        try {
            // The amount of data is in the arguments, which are not decoded yet.
            var kind = handler.kind(call.header(), false);
            service.threads().execute(quota, () -> answerAndRelease(call), kind);
            isStarted = true;
        } catch (RejectedExecutionException _) {
            // The server is closing.
            stream.close();
        } finally {
            if (!isStarted) {
                stream.release(call.message());
                end(call);
            }
        }
    }

    private void answerAndRelease(CallTurns.Arrived call) {
        try {
            if (stream.isClosed() || Thread.currentThread().isInterrupted()) {
                throw new InterruptedException("nobody would get the reply");
            }
            service.memory().makeRoom(quota, service.options().recordMax());
            stream.answer(call);
        } catch (InterruptedException _) {
            // The server is closing, or the connection has ended.
            stream.close();
        } finally {
            ended(call);
        }
    }

    /** Ends a counted call that has its answer, or gets none. */
    void ended(CallTurns.Arrived call) {
        stream.release(call.message());
        stream.active();
        end(call);
    }

    /** Ends a counted call. A call that waited for its end begins in its place. */
    private void end(CallTurns.Arrived call) {
        var next = turns.ended(call);
        if (call.wasHanging()) {
            quota.endHanging();
        } else if (next == null) {
            quota.endCall();
        } else {
            execute(next);
        }
    }
}
