package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.client.service.Waits;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Connects as another connector does, and lets it be known while lost connections are made again,
 * and while a server does not answer.
 *
 * @param lost of each client that has lost its connection
 */
record WatchedConnector(Connector connector, Waits waits, Queue<Waits.Begun> lost)
        implements Connector {
    WatchedConnector(Connector connector, Waits waits) {
        this(connector, waits, new ConcurrentLinkedQueue<>());
    }

    @Override
    public RpcClient connect() throws RpcException, InterruptedException {
        try (var _ = waits.begin(Waits.Reason.SILENT)) {
            return new WatchedClient(connector.connect(), waits);
        }
    }

    @Override
    public RpcClient connect(Duration atMost) throws RpcException, InterruptedException {
        try (var _ = waits.begin(Waits.Reason.SILENT)) {
            return new WatchedClient(connector.connect(atMost), waits);
        }
    }

    @Override
    public Optional<Connector> serving(RpcProgram program) {
        return connector.serving(program).map(each -> new WatchedConnector(each, waits, lost));
    }

    @Override
    public void lost(RpcException why) {
        lost.add(waits.begin(Waits.Reason.CONNECTION));
        connector.lost(why);
    }

    @Override
    public void lossEnded(boolean isConnected) {
        var ended = lost.poll();
        if (ended != null) {
            ended.close();
        }
        connector.lossEnded(isConnected);
    }
}
