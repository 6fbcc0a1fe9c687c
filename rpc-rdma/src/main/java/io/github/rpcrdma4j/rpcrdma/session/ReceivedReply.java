package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall;
import io.github.rpcrdma4j.xdr.XdrReader;

/** A reply whose results are read from memory of the call. Closing it releases that memory. */
final class ReceivedReply implements RpcReply {
    private final XdrReader results;
    private final PendingCall call;
    private boolean closed;

    private ReceivedReply(XdrReader results, PendingCall call) {
        this.results = results;
        this.call = call;
    }

    static ReceivedReply of(
            RpcCall call,
            CallProtection protection,
            int xid,
            PendingCall.Answer.Reply reply,
            PendingCall pending)
            throws RpcException {
        var message =
                new XdrReader(
                        reply.payload(), TargetPlacements.of(reply.placements(), pending, call));
        try {
            var results = protection.results(message, call, xid);
            return new ReceivedReply(results, pending);
        } catch (RpcException noResults) {
            pending.release();
            throw noResults;
        }
    }

    @Override
    public XdrReader results() {
        return results;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            call.release();
        }
    }
}
