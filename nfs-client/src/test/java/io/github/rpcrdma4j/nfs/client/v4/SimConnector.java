package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.share.Host;
import java.util.Optional;

/** Connects a client to a {@link SimServer}, over a network that may be down for some time. */
final class SimConnector implements Connector {
    private static final long UNREACHABLE_NANOS = SimServer.SECOND;

    final SimServer server;
    final SimThreads threads;
    final Host host;
    private BackChannel callbacks;

    /** The newest connection; null before the first one. */
    SimConnection newest;

    /** Until when the network carries nothing. */
    long darkUntil;

    record Named(String name) implements Host {}

    SimConnector(SimServer server, SimThreads threads, String host) {
        this.server = server;
        this.threads = threads;
        this.host = new Named(host);
    }

    boolean isDark() {
        return server.now() < darkUntil;
    }

    @Override
    public RpcClient connect() throws RpcException, InterruptedException {
        threads.sleep(server.faults.transitNanos());
        if (isDark() || server.isDown) {
            threads.sleep(UNREACHABLE_NANOS);
            throw new RpcException.Unreachable("the server cannot be reached", null);
        }
        newest = new SimConnection(this, callbacks);
        server.connected(newest);
        return newest;
    }

    @Override
    public Optional<Connector> serving(RpcProgram program) {
        callbacks = (BackChannel) program;
        return Optional.of(this);
    }
}
