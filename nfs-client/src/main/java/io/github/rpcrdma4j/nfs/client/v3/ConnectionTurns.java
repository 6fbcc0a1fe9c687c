package io.github.rpcrdma4j.nfs.client.v3;

import io.github.rpcrdma4j.oncrpc.CallPipeline;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.ReconnectingRpcClient;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Connections to a server that take turns, as those of a mount of Linux with {@code nconnect}: each
 * call goes to the next one, and each pipeline as a whole. A call that is sent again stays with its
 * connection, because a server recognizes it there. The first connection is made at once, the
 * others by a thread meanwhile; those that cannot be made are left out. Thread-safe.
 *
 * <p>Tests: {@code ConnectionTurnsTest}.
 */
final class ConnectionTurns implements RpcClient {
    private final Connector connector;
    private final Duration retry;
    private final List<RpcClient> connections = new CopyOnWriteArrayList<>();
    private final AtomicInteger turns = new AtomicInteger();
    private final Thread maker;
    private volatile boolean isClosed;

    private ConnectionTurns(RpcClient first, Connector connector, Duration retry, int count) {
        this.connector = connector;
        this.retry = retry;
        connections.add(first);
        this.maker = Thread.ofVirtual().name("nfs-connections").unstarted(() -> makeUpTo(count));
    }

    /**
     * Connects for the first time.
     *
     * @param retry of each connection: {@link ReconnectingRpcClient}
     * @param count how many connections there are to be
     */
    static RpcClient connect(Connector connector, Duration retry, int count)
            throws RpcException, InterruptedException {
        var first = ReconnectingRpcClient.connect(connector, retry);
        if (count == 1) {
            return first;
        }
        var all = new ConnectionTurns(first, connector, retry, count);
        all.maker.start();
        return all;
    }

    private void makeUpTo(int count) {
        try {
            while (connections.size() < count && !isClosed) {
                connections.add(ReconnectingRpcClient.connect(connector, retry));
            }
        } catch (RpcException _) {
            // The server may have a limit.
        } catch (InterruptedException _) {
            // This object is closed.
        }
        if (isClosed) {
            closeAll();
        }
    }

    private RpcClient next() {
        var now = connections.toArray(RpcClient[]::new);
        return now[Math.floorMod(turns.getAndIncrement(), now.length)];
    }

    @Override
    public RpcReply call(RpcCall call, Duration timeout) throws RpcException, InterruptedException {
        return next().call(call, timeout);
    }

    @Override
    public CallPipeline pipeline() {
        return next().pipeline();
    }

    private void closeAll() {
        connections.forEach(RpcClient::close);
    }

    @Override
    public void close() {
        isClosed = true;
        maker.interrupt();
        closeAll();
    }
}
