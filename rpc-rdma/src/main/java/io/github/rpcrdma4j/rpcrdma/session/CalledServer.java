package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import io.github.rpcrdma4j.rpcrdma.wire.PrivateData;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.RdmaException;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * The server that a client connects to.
 *
 * @param key the key of the server, if the client is the server itself; otherwise {@link
 *     OwnKey#NONE}
 */
public record CalledServer(InetSocketAddress address, OwnKey key) {
    /** Returns a server that knows nothing of its client. */
    public static CalledServer of(InetSocketAddress address) {
        return new CalledServer(address, OwnKey.NONE);
    }

    /** Returns its address as text. */
    String name() {
        return HostPort.text(address);
    }

    /** Connects a queue pair, and returns the private data of the server. */
    byte[] connect(QueuePair queuePair, PrivateData own, Duration timeout)
            throws RdmaException, InterruptedException {
        return queuePair.connect(address, key.behind(own.encode()), timeout);
    }
}
