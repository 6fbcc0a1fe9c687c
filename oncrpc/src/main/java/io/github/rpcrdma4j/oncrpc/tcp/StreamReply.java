package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.record.ReceivedRecord;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.xdr.XdrReader;

/** The results of a call, as a view of the received record. */
final class StreamReply implements RpcReply {
    private final ReceivedRecord received;
    private final XdrReader results;
    private boolean closed;

    private StreamReply(ReceivedRecord received, XdrReader results) {
        this.received = received;
        this.results = results;
    }

    static StreamReply of(ReceivedRecord received, RpcCall call, int xid, CallProtection protection)
            throws RpcException {
        var message = new XdrReader(received.message());
        try {
            var results = protection.results(message, call, xid);
            return new StreamReply(received, results);
        } catch (RpcException noResults) {
            received.close();
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
            received.close();
        }
    }
}
