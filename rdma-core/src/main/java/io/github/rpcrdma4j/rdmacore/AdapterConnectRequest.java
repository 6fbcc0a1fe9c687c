package io.github.rpcrdma4j.rdmacore;

import io.github.rpcrdma4j.rdmacore.library.ConnectionEvent;
import io.github.rpcrdma4j.verbs.ConnectRequest;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.RdmaException;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;

/** A connect request, with the id that its connection will have. */
final class AdapterConnectRequest implements ConnectRequest {
    private final Connection connection;
    private final ConnectionEvent event;
    private final InetSocketAddress peer;
    private final AtomicBoolean isAnswered = new AtomicBoolean();

    AdapterConnectRequest(Connection connection, ConnectionEvent event) {
        this.connection = connection;
        this.event = event;
        this.peer = connection.peer();
    }

    /** Returns whether the peer came through the device of the listener's provider. */
    boolean isOfDevice() {
        return connection.isOfDevice();
    }

    /** Drops the request without an answer. */
    void drop() {
        connection.destroy();
    }

    @Override
    public InetSocketAddress peer() {
        return peer;
    }

    @Override
    public byte[] privateData() {
        return event.privateData().clone();
    }

    @Override
    public void accept(QueuePair queuePair, byte[] privateData) throws RdmaException {
        Connection.requireData(privateData, connection.device.acceptDataMax());
        if (!(queuePair instanceof AdapterQueuePair accepted)) {
            throw new IllegalArgumentException("the queue pair belongs to another provider");
        }
        answer();
        boolean isReserved = false;
        try {
            accepted.reserve(connection.device);
            isReserved = true;
        } finally {
            // Another queue pair may still answer.
            isAnswered.set(isReserved);
        }
        accepted.accept(connection, event, peer, privateData);
    }

    @Override
    public void reject(byte[] privateData) {
        Connection.requireData(privateData, connection.device.rejectDataMax());
        answer();
        connection.reject(privateData);
        connection.destroy();
    }

    private void answer() {
        if (!isAnswered.compareAndSet(false, true)) {
            throw new IllegalStateException("the request was already answered");
        }
    }
}
