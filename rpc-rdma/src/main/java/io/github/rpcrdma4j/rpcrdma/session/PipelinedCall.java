package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.CallOutcome;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.rpcrdma.events.CallEvent;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.time.Duration;

/**
 * One call of a pipeline; the object is used again after its outcome was delivered. Guarded by the
 * lock of its connection, except in {@link #deliver}.
 */
final class PipelinedCall implements RequesterDriver.Caller {
    private final RdmaPipeline all;
    private RpcCall call;
    private CallProtection protection;
    private int xid;
    private PendingCall pending;
    private Duration timeout;
    private long deadline;
    private CallOutcome outcome;

    /** Null while none is recorded. */
    private CallEvent event;

    /** Its neighbours among the calls that have no answer. */
    PipelinedCall previous;

    PipelinedCall next;

    PipelinedCall(RdmaPipeline all) {
        this.all = all;
    }

    /** From now on it is that call. */
    PipelinedCall begin(
            RpcCall newCall,
            CallProtection newProtection,
            int newXid,
            PendingCall newPending,
            Duration newTimeout,
            long newDeadline,
            CallOutcome newOutcome) {
        call = newCall;
        protection = newProtection;
        xid = newXid;
        pending = newPending;
        timeout = newTimeout;
        deadline = newDeadline;
        outcome = newOutcome;
        previous = null;
        next = null;
        pending.caller(this);
        event = CallEvent.begun();
        return this;
    }

    /** Lets go of what it was. */
    void end() {
        call = null;
        protection = null;
        pending = null;
        outcome = null;
        previous = null;
        next = null;
    }

    RpcCall call() {
        return call;
    }

    PendingCall pending() {
        return pending;
    }

    /** How long its caller wants to wait for it. */
    Duration timeout() {
        return timeout;
    }

    /** When it is cancelled, by {@link System#nanoTime}. */
    long deadline() {
        return deadline;
    }

    /** It has its answer. */
    void answered() {
        all.ended(this);
    }

    /** Gives back what the call holds, and delivers no outcome. */
    void release() {
        pending.release();
        end();
    }

    /** Delivers the outcome, without the lock, and gives back what the call holds. */
    void deliver() {
        RpcException failure = null;
        if (event != null) {
            event.record(call, xid, all.peer(), RequesterDriver.outcome(pending.answer()));
        }
        try {
            switch (pending.answer()) {
                case PendingCall.Answer.Failure(var reason) -> failure = reason;
                case PendingCall.Answer.Reply(var payload, var placements) ->
                        outcome.succeeded(
                                ReplyHeader.requireSuccess(
                                        new XdrReader(payload, placements), call, xid, protection));
            }
        } catch (RpcException noResults) {
            failure = noResults;
        } catch (XdrException malformed) {
            failure = RpcException.BadReply.of(malformed);
        } finally {
            pending.release();
        }
        if (failure != null) {
            outcome.failed(failure);
        }
    }
}
