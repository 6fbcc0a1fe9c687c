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

    /**
     * Reads the header of a reply. If this throws, it has closed the record.
     *
     * @throws RpcException if the reply has no results
     */
    static StreamReply of(ReceivedRecord received, RpcCall call, int xid, CallProtection protection)
            throws RpcException {
        boolean hasResults = false;
        try {
            var message = new XdrReader(received.message());
            var reply = new StreamReply(received, protection.results(message, call, xid));
            hasResults = true;
            return reply;
        } finally {
            if (!hasResults) {
                received.close();
            }
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
