package io.github.rpcrdma4j.rpcrdma;

import io.github.rpcrdma4j.oncrpc.CallProtection;
import io.github.rpcrdma4j.oncrpc.ReplyHeader;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.util.function.Consumer;

/** A call that nobody waits for. Guarded by the lock of its connection, but for the telling. */
final class StartedCall implements PendingCall.Caller {
    private final RpcCall call;
    private final CallProtection protection;
    private final int xid;
    private final PendingCall pending;
    private final long deadline;
    private final CallOutcome outcome;
    private final Consumer<StartedCall> ended;

    /** Its neighbours among the calls that have no answer. */
    StartedCall previous;

    StartedCall next;

    /**
     * @param ended told when it has its answer, with the lock held
     */
    StartedCall(
            RpcCall call,
            CallProtection protection,
            int xid,
            PendingCall pending,
            long deadline,
            CallOutcome outcome,
            Consumer<StartedCall> ended) {
        this.call = call;
        this.protection = protection;
        this.xid = xid;
        this.pending = pending;
        this.deadline = deadline;
        this.outcome = outcome;
        this.ended = ended;
        pending.tells(this);
    }

    RpcCall call() {
        return call;
    }

    PendingCall pending() {
        return pending;
    }

    /** When it is cancelled, by {@link System#nanoTime}. */
    long deadline() {
        return deadline;
    }

    @Override
    public void answered() {
        ended.accept(this);
    }

    /** Tells the outcome, without the lock, and gives back what the call holds. */
    void tell() {
        RpcException failure = null;
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
            failure =
                    new RpcException.BadReply(
                            "the server's results make no sense: " + malformed.getMessage());
        } finally {
            pending.release();
        }
        if (failure != null) {
            outcome.failed(failure);
        }
    }
}
