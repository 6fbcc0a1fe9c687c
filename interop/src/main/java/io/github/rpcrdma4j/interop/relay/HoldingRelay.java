package io.github.rpcrdma4j.interop.relay;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A relay between clients and a server on TCP that can hold back what the server sends: the server
 * carries out all calls, but no reply reaches a client.
 */
public final class HoldingRelay implements AutoCloseable {
    private final Relay relay;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition released = lock.newCondition();
    private boolean holding;

    /** What a call has to contain for the hold to begin with it; null if none is awaited. */
    private byte[] awaited;

    public HoldingRelay(String listen, InetSocketAddress server) throws IOException {
        relay = new Relay(listen, server, Replies::new);
    }

    public int port() {
        return relay.port();
    }

    /** Holds back all replies that have not passed yet. */
    public void hold() {
        set(true);
    }

    /** Holds back all replies from the first call on that contains some bytes, with its own. */
    public void holdFrom(byte[] part) {
        lock.lock();
        try {
            awaited = part.clone();
        } finally {
            lock.unlock();
        }
    }

    /** Lets the replies pass again, also those that were held back. */
    public void release() {
        set(false);
    }

    private void set(boolean hold) {
        lock.lock();
        try {
            holding = hold;
            awaited = null;
            released.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        release();
        relay.close();
    }

    private final class Replies implements Relay.Gate {
        @Override
        public boolean passesToServer(ByteBuffer bytes) {
            lock.lock();
            try {
                if (awaited != null && contains(bytes, awaited)) {
                    awaited = null;
                    holding = true;
                }
                return true;
            } finally {
                lock.unlock();
            }
        }

        private static boolean contains(ByteBuffer bytes, byte[] part) {
            var wanted = ByteBuffer.wrap(part);
            for (int at = bytes.position(); at <= bytes.limit() - part.length; at++) {
                if (bytes.slice(at, part.length).equals(wanted)) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public boolean passesToClient(ByteBuffer bytes) throws InterruptedException {
            lock.lock();
            try {
                while (holding) {
                    released.await();
                }
                return true;
            } finally {
                lock.unlock();
            }
        }
    }
}
