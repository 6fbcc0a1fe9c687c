package io.github.rpcrdma4j.nfs.server.host;

import java.io.IOException;

/**
 * Thrown if a host cannot listen at an address. The message is one line that names the address; the
 * cause is that of the transport.
 */
public final class ListenException extends IOException {
    private static final long serialVersionUID = 1;

    private final Transport transport;

    ListenException(Transport transport, IOException cause) {
        super(cause.getMessage(), cause);
        this.transport = transport;
    }

    /** Returns the transport of the address. */
    public Transport transport() {
        return transport;
    }
}
