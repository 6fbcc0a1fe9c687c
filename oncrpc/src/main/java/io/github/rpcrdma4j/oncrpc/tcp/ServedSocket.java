package io.github.rpcrdma4j.oncrpc.tcp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Optional;

/**
 * The socket of a connection of a server. One thread reads it. The turn to write is the caller's
 * matter. Closing is thread-safe.
 *
 * <p>Tests: {@code TcpRpcServerTest}.
 */
sealed interface ServedSocket extends AutoCloseable {
    /**
     * Reads bytes, after a wait until there are some.
     *
     * @return their number; negative at the end of the stream
     */
    int read(ByteBuffer into) throws IOException;

    /**
     * Writes bytes. A socket that {@link #triesWrites} writes those that it accepts now.
     *
     * @return whether all bytes are written
     */
    boolean write(GatheringWrite message) throws IOException;

    /** Waits until the socket may accept bytes, or is closed. */
    void awaitWritable() throws IOException;

    /** Returns whether {@link #write} never waits. */
    boolean triesWrites();

    /** Returns the channel. */
    SocketChannel channel();

    /** Returns the address and port of this side; empty if the connection has ended. */
    default Optional<InetSocketAddress> localAddress() {
        try {
            return channel().getLocalAddress() instanceof InetSocketAddress local
                    ? Optional.of(local)
                    : Optional.empty();
        } catch (IOException _) {
            return Optional.empty();
        }
    }

    /** Closes the connection, and ends all waits. Closing twice is harmless. */
    @Override
    void close();

    /** Frees what the socket needed. No thread uses it any more. */
    void free();

    /** A socket whose reads and writes wait. It suits a virtual thread. */
    record Blocking(SocketChannel channel) implements ServedSocket {
        @Override
        public int read(ByteBuffer into) throws IOException {
            return channel.read(into);
        }

        @Override
        public boolean write(GatheringWrite message) throws IOException {
            return message.writeTo(channel);
        }

        @Override
        public void awaitWritable() {
            // The next write waits.
        }

        @Override
        public boolean triesWrites() {
            return false;
        }

        @Override
        public void close() {
            ServedSocket.close(channel);
        }

        @Override
        public void free() {}
    }

    /** A socket on which any thread can write without a wait. A platform thread reads it. */
    final class NonBlocking implements ServedSocket {
        private final SocketChannel channel;
        private final Selector readable = Selector.open();

        /** Made for the first wait; the turn to write guards it. Null until then. */
        private volatile Selector writable;

        /** Whether the last read took all bytes that there were. */
        private boolean isDrained = true;

        NonBlocking(SocketChannel channel) throws IOException {
            this.channel = channel;
            boolean isRegistered = false;
            try {
                channel.configureBlocking(false);
                channel.register(readable, SelectionKey.OP_READ);
                isRegistered = true;
            } finally {
                if (!isRegistered) {
                    readable.close();
                }
            }
        }

        @Override
        public SocketChannel channel() {
            return channel;
        }

        @Override
        public int read(ByteBuffer into) throws IOException {
            int room = into.remaining();
            int count = isDrained ? 0 : channel.read(into);
            while (count == 0) {
                select(readable);
                count = channel.read(into);
            }
            isDrained = count < room;
            return count;
        }

        private static void select(Selector selector) throws IOException {
            // A selector does not wait while the interrupt status is set.
            boolean wasInterrupted = Thread.interrupted();
            try {
                selector.select();
                selector.selectedKeys().clear();
            } finally {
                if (wasInterrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        @Override
        public boolean write(GatheringWrite message) throws IOException {
            return message.writeTo(channel);
        }

        @Override
        public void awaitWritable() throws IOException {
            if (writable == null) {
                var selector = Selector.open();
                writable = selector;
                channel.register(selector, SelectionKey.OP_WRITE);
            }
            if (channel.isOpen()) {
                select(writable);
            }
        }

        @Override
        public boolean triesWrites() {
            return true;
        }

        @Override
        public void close() {
            ServedSocket.close(channel);
            readable.wakeup();
            var waiting = writable;
            if (waiting != null) {
                waiting.wakeup();
            }
        }

        @Override
        public void free() {
            ServedSocket.close(readable);
            if (writable != null) {
                ServedSocket.close(writable);
            }
        }
    }

    private static void close(AutoCloseable each) {
        try {
            each.close();
        } catch (Exception _) {
            // It is closed nevertheless.
        }
    }
}
