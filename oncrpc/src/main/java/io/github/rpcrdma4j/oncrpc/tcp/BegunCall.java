package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.ReplyReceiver;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * A call for which no thread waits. It ends when it has an answer and its message is not being
 * written any more, because the memory of its arguments is in use until then. The later of the two
 * threads completes it. Thread-safe.
 */
final class BegunCall implements PendingReply {
    private final SentCalls sent;
    private final RpcCall call;
    private final CallProtection protection;
    private final CallDeadline deadline;
    private final ReplyReceiver receiver;
    private int xid;

    /** Guarded by this, as are the fields below. */
    private XdrWriter unwritten;

    private Answer answer;
    private boolean isAbandoned;

    /**
     * @param message the message, which is to be written; this object closes it
     */
    BegunCall(
            SentCalls sent,
            RpcCall call,
            CallProtection protection,
            XdrWriter message,
            CallDeadline deadline,
            ReplyReceiver receiver) {
        this.sent = sent;
        this.call = call;
        this.protection = protection;
        this.unwritten = message;
        this.deadline = deadline;
        this.receiver = receiver;
    }

    /** Sets the XID, before the message is written. */
    void xid(int registered) {
        xid = registered;
    }

    /** Returns when the call is late. */
    CallDeadline deadline() {
        return deadline;
    }

    @Override
    public boolean answer(Answer given) {
        synchronized (this) {
            if (isAbandoned || answer != null) {
                return false;
            }
            answer = given;
            if (unwritten != null) {
                return true;
            }
        }
        complete(given);
        return true;
    }

    /**
     * Notes that no thread writes the message any more. If this throws, the call has ended
     * nevertheless.
     */
    void written() {
        Answer given;
        synchronized (this) {
            unwritten.close();
            unwritten = null;
            given = answer;
        }
        if (given != null) {
            complete(given);
        }
    }

    /** Ends a call of which nothing was written. Its receiver gets nothing. */
    @Override
    public synchronized void abandon() {
        isAbandoned = true;
        unwritten.close();
        if (answer instanceof Answer.Arrived(var received)) {
            received.close();
        }
    }

    private void complete(Answer given) {
        RpcReply reply = null;
        RpcException failure = null;
        switch (given) {
            case Answer.Arrived(var received) -> {
                try {
                    reply = StreamReply.of(received, call, xid, protection);
                } catch (RpcException noResults) {
                    failure = noResults;
                } catch (RuntimeException | Error broken) {
                    receiver.failed(new RpcException.BadReply("internal error: " + broken));
                    throw broken;
                }
            }
            case Answer.Lost(var reason) -> failure = sent.connectionLost(reason);
            case Answer.Late() -> failure = sent.timedOut(deadline.timeout());
        }
        if (failure == null) {
            receiver.replied(reply);
        } else {
            receiver.failed(failure);
        }
    }
}
