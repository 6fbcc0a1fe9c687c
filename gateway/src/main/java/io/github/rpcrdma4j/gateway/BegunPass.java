package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.spi.CallEnd;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.oncrpc.spi.ReplyReceiver;
import io.github.rpcrdma4j.oncrpc.spi.RpcTransport;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * A call that is passed on without a thread that waits for its reply: the thread that reads the
 * reply passes that on. Outcomes are those of {@link PassedCalls#dispatch}.
 *
 * @param xid the XID that the call has on the other connection
 * @param lowered lowers limits in the reply
 * @param room the memory that the call offers for its results
 * @param held what the call holds
 * @param reply receives the reply
 * @param close closes the connection of the caller, with a reason
 * @param end is told the end
 */
record BegunPass(
        CallHeader header,
        int xid,
        LoweredLimits lowered,
        PlannedCall planned,
        PlannedCall.Room room,
        HeldByCall held,
        XdrWriter reply,
        Consumer<String> close,
        CallEnd end)
        implements ReplyReceiver {
    /**
     * Begins the call.
     *
     * @param target the connection to which it goes
     * @return false if it cannot begin without a wait; nothing was sent
     */
    boolean begin(RpcTransport target, CallProtection protection, Duration timeout) {
        try {
            return held.begin(
                    room,
                    targets ->
                            target.begin(
                                    planned.call(room, targets).withXid(xid),
                                    protection,
                                    timeout,
                                    this));
        } catch (IllegalArgumentException _) {
            // The dispatch refuses the call.
            return false;
        }
    }

    @Override
    public void replied(RpcReply answer) {
        boolean isAnswered = false;
        try {
            held.keep(answer);
            reply.whenDone(held::close);
            reply.uint32(header.xid()).uint32(ReplyHeader.REPLY);
            planned.writeReply(answer.results(), room, lowered, reply);
            isAnswered = true;
        } catch (RpcException.BadReply malformed) {
            isAnswered = PassedCalls.failed(header, malformed, reply, close);
        } catch (BudgetExhaustedException none) {
            isAnswered = PassedCalls.noMemory(none, close);
        } finally {
            end.ended(isAnswered);
        }
    }

    @Override
    public void failed(RpcException reason) {
        held.close();
        boolean isAnswered = false;
        try {
            isAnswered = PassedCalls.failed(header, reason, reply, close);
        } finally {
            end.ended(isAnswered);
        }
    }
}
