package io.github.rpcrdma4j.bench.latency;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A relay of one TCP connection that delays the bytes of both directions. It forwards them in the
 * pieces in which they arrived, and does not limit the bandwidth. Its thread polls while bytes
 * arrive or are due soon, so the delay is exact to microseconds. It sleeps after a while without
 * bytes.
 */
final class Relay implements AutoCloseable {
    private static final int PIECE = 64 << 10;
    private static final long AWAKE_NANOS = TimeUnit.MICROSECONDS.toNanos(300);
    private static final long NAP_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    /** One direction of the connection. */
    private final class Direction {
        private final SocketChannel from;
        private final SocketChannel to;
        private final DelayLine line = new DelayLine();
        private boolean ended;

        Direction(SocketChannel from, SocketChannel to) {
            this.from = from;
            this.to = to;
        }

        /** Takes arrived bytes and forwards due ones; returns whether it moved any. */
        boolean pass() throws IOException {
            boolean moved = !ended && line.hasRoom() && receive();
            return forward() || moved;
        }

        private boolean receive() throws IOException {
            var bytes = free.isEmpty() ? ByteBuffer.allocateDirect(PIECE) : free.removeLast();
            int count = from.read(bytes.clear());
            ended = count < 0;
            if (count <= 0) {
                free.addLast(bytes);
                return false;
            }
            line.add(bytes.flip(), System.nanoTime(), delayNanos);
            return true;
        }

        private boolean forward() throws IOException {
            var bytes = line.next(System.nanoTime());
            if (bytes == null) {
                if (ended && line.isEmpty()) {
                    throw new EOFException("one end has closed");
                }
                return false;
            }
            int count = to.write(bytes);
            if (!bytes.hasRemaining()) {
                line.remove();
                free.addLast(bytes);
            }
            return count > 0;
        }
    }

    private final ServerSocketChannel listener;
    private final InetSocketAddress target;
    private final ArrayDeque<ByteBuffer> free = new ArrayDeque<>();
    private final Thread thread;
    private volatile long delayNanos;
    private volatile boolean closed;

    private Relay(InetSocketAddress target) throws IOException {
        this.target = target;
        listener = ServerSocketChannel.open();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        thread = Thread.ofPlatform().daemon().name("relay").start(this::run);
    }

    /** Starts a relay that accepts one connection and forwards it to {@code target}. */
    static Relay to(InetSocketAddress target) throws IOException {
        return new Relay(target);
    }

    InetSocketAddress address() throws IOException {
        return (InetSocketAddress) listener.getLocalAddress();
    }

    /** Sets the delay of each direction, in nanoseconds. */
    void delay(long nanos) {
        delayNanos = nanos;
    }

    private void run() {
        try (var near = listener.accept();
                var far = SocketChannel.open(target);
                var selector = Selector.open()) {
            for (var channel : List.of(near, far)) {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                channel.configureBlocking(false);
                channel.register(selector, SelectionKey.OP_READ);
            }
            pass(new Direction(near, far), new Direction(far, near), selector);
        } catch (IOException _) {
            // One end closed the connection, or no client connected: closing both channels ends the
            // other connection.
        }
    }

    private void pass(Direction there, Direction back, Selector selector) throws IOException {
        long lastMoved = System.nanoTime();
        while (!closed) {
            boolean moved = there.pass();
            moved |= back.pass();
            long now = System.nanoTime();
            if (moved) {
                lastMoved = now;
            }
            long left = Math.min(there.line.left(now), back.line.left(now));
            if (now - lastMoved < AWAKE_NANOS || left < AWAKE_NANOS) {
                Thread.onSpinWait();
            } else if (left == DelayLine.NEVER) {
                selector.select();
                selector.selectedKeys().clear();
                lastMoved = System.nanoTime();
            } else {
                LockSupport.parkNanos(NAP_NANOS);
            }
        }
    }

    /** Ends the connection. */
    @Override
    public void close() throws IOException {
        closed = true;
        listener.close();
        thread.interrupt();
    }
}
