package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.spi.RpcTransport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The connection to the server for one client. It is opened for the first call that is passed on: a
 * client that makes none takes no connection from others. It is opened once. Thread-safe.
 */
final class ServerConnection implements PassedCalls.Target {
    /** Opens the connection. */
    interface Opening {
        /**
         * Connects to the server.
         *
         * @throws RpcException if that is not possible
         */
        RpcTransport open() throws RpcException, InterruptedException;
    }

    private final Opening opening;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile RpcTransport opened;

    /** Why it could not be opened; otherwise null. The lock guards the fields from here on. */
    private RpcException failure;

    private boolean isEnded;

    ServerConnection(Opening opening) {
        this.opening = opening;
    }

    @Override
    public RpcTransport now() {
        return opened;
    }

    @Override
    public RpcTransport await() throws RpcException, InterruptedException {
        if (opened != null) {
            return opened;
        }
        lock.lockInterruptibly();
        try {
            if (opened != null) {
                return opened;
            }
            if (isEnded) {
                throw new RpcException.Unreachable("the client has left", null);
            }
            if (failure != null) {
                throw failure;
            }
            opened = opening.open();
            return opened;
        } catch (RpcException unreachable) {
            failure = unreachable;
            throw unreachable;
        } finally {
            lock.unlock();
        }
    }

    /** Closes the connection; none is opened any more. Waits while it is being opened. */
    void end() {
        lock.lock();
        try {
            isEnded = true;
            if (opened != null) {
                opened.close();
            }
        } finally {
            lock.unlock();
        }
    }
}
