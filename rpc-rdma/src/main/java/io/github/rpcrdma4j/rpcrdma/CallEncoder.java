package io.github.rpcrdma4j.rpcrdma;

import io.github.rpcrdma4j.oncrpc.CallHeader;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RawAuth;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.rpcrdma.requester.CallBuilder;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.Collection;

/** Turns calls into messages, by the bindings of their programs. Thread-safe. */
final class CallEncoder {
    private final ClientConnection connection;
    private final RawAuth credential;
    private final Bindings bindings;
    private final RpcRdmaOptions options;

    CallEncoder(
            ClientConnection connection,
            Credential credential,
            Collection<? extends UpperLayerBinding> bindings,
            RpcRdmaOptions options) {
        this.connection = connection;
        this.credential = RawAuth.of(credential);
        this.bindings = new Bindings(bindings);
        this.options = options;
    }

    /**
     * Encodes a call on the thread that makes it.
     *
     * @throws IllegalArgumentException if the call breaks a limit of its own or of the connection
     */
    PendingCall encode(RpcCall call, int xid) {
        try (var message = new XdrWriter(connection.pool())) {
            CallHeader.encode(
                    message, xid, call.program(), call.version(), call.procedure(), credential);
            call.arguments().accept(message);
            return new CallBuilder(connection.pool())
                    .build(
                            xid,
                            call,
                            message,
                            bindings.eligibility(call.program(), call.version(), call.procedure()),
                            connection.terms(),
                            connection.domain(),
                            options.segmentMax());
        }
    }
}
