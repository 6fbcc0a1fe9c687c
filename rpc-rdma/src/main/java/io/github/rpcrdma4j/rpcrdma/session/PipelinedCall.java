package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.CallOutcome;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.rpcrdma.events.CallEvent;
import io.github.rpcrdma4j.rpcrdma.events.Recordings;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.time.Duration;

/**
 * One pipelined call. The object is reused after its outcome is delivered. Guarded by the lock of
 * its connection, except in {@link #deliver}.
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

    /** The JFR event of the call; null if it is disabled. */
    private CallEvent event;

    /** The neighbours in the list of unanswered calls. */
    PipelinedCall previous;

    PipelinedCall next;

    PipelinedCall(RdmaPipeline all) {
        this.all = all;
    }

    /** Turns this object into a new call. */
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
        event = Recordings.beginCall();
        return this;
    }

    /** Clears the references to the ended call. */
    void end() {
        call = null;
        protection = null;
        pending = null;
        outcome = null;
        previous = null;
        next = null;
    }

    PendingCall pending() {
        return pending;
    }

    /** Returns the timeout that the caller gave. */
    Duration timeout() {
        return timeout;
    }

    /** Returns when the call is cancelled, by the clock of the connection, in nanoseconds. */
    long deadline() {
        return deadline;
    }

    /** Notifies the pipeline that the call has its answer. */
    void answered() {
        all.ended(this);
    }

    /** Releases the memory of the call without delivering an outcome. */
    void release() {
        pending.release();
        end();
    }

    /** Delivers the outcome, without the lock, and releases the memory of the call. */
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
                                protection.results(
                                        new XdrReader(
                                                payload,
                                                TargetPlacements.of(placements, pending, call)),
                                        call,
                                        xid));
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
