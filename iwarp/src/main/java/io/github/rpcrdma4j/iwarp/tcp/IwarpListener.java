package io.github.rpcrdma4j.iwarp.tcp;

import io.github.rpcrdma4j.iwarp.mpa.MpaFrame;
import io.github.rpcrdma4j.verbs.ConnectRequest;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.RdmaException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Listens, and reads the requests of all half-open connections side by side, so that a slow or
 * silent peer holds up nobody.
 */
final class IwarpListener implements Listener {
    /** Half-open connections; beyond it new ones are closed. */
    private static final int HALF_OPEN_MAX = 1024;

    private static final int BACKLOG = 512;
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final ServerSocketChannel server;
    private final Selector selector;
    private final IwarpOptions options;
    private final InetSocketAddress address;
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<ConnectRequest> requests = new ArrayDeque<>();

    private IwarpListener(
            ServerSocketChannel server,
            Selector selector,
            IwarpOptions options,
            InetSocketAddress address) {
        this.server = server;
        this.selector = selector;
        this.options = options;
        this.address = address;
    }

    static IwarpListener open(InetSocketAddress wanted, IwarpOptions options) throws RdmaException {
        if (wanted.isUnresolved()) {
            throw new RdmaException.Unreachable("unknown host " + wanted.getHostString(), null);
        }
        try {
            var server = ServerSocketChannel.open();
            try {
                server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
                server.bind(wanted, BACKLOG);
                server.configureBlocking(false);
                var selector = Selector.open();
                server.register(selector, SelectionKey.OP_ACCEPT);
                return new IwarpListener(
                        server, selector, options, (InetSocketAddress) server.getLocalAddress());
            } catch (IOException failure) {
                server.close();
                throw failure;
            }
        } catch (IOException failure) {
            throw new RdmaException.Unreachable(
                    "cannot listen on " + MpaConnect.name(wanted) + ": " + failure.getMessage(),
                    failure);
        }
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public Optional<ConnectRequest> accept(Duration timeout)
            throws RdmaException, InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        lock.lockInterruptibly();
        try {
            while (requests.isEmpty()) {
                long left = Math.max(0, deadline - System.nanoTime());
                progress(Math.min(left, TURN_NANOS));
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                if (left == 0) {
                    break;
                }
            }
            return Optional.ofNullable(requests.pollFirst());
        } catch (IOException | ClosedSelectorException failure) {
            throw new RdmaException.ConnectionLost("the listener is closed", failure);
        } finally {
            lock.unlock();
        }
    }

    private void progress(long waitNanos) throws IOException {
        if (waitNanos == 0) {
            selector.selectNow();
        } else {
            selector.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(waitNanos)));
        }
        for (var key : selector.selectedKeys()) {
            if (key.channel() == server) {
                acceptAll();
            } else if (key.isValid()) {
                read(key);
            }
        }
        selector.selectedKeys().clear();
        dropLate();
    }

    private void acceptAll() throws IOException {
        for (var channel = server.accept(); channel != null; channel = server.accept()) {
            if (selector.keys().size() > HALF_OPEN_MAX) {
                MpaConnect.closeQuietly(channel);
                continue;
            }
            try {
                channel.configureBlocking(false);
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                long deadline = System.nanoTime() + options.setupTimeout().toNanos();
                channel.register(selector, SelectionKey.OP_READ, new HalfOpen(channel, deadline));
            } catch (IOException _) {
                MpaConnect.closeQuietly(channel);
            }
        }
    }

    private void read(SelectionKey key) {
        var halfOpen = (HalfOpen) key.attachment();
        try {
            var request = halfOpen.read();
            if (request.isPresent()) {
                key.cancel();
                requests.addLast(request(halfOpen.channel(), request.get()));
            }
        } catch (IOException _) {
            MpaConnect.closeQuietly(halfOpen.channel());
        }
    }

    private ConnectRequest request(SocketChannel channel, MpaFrame frame) throws IOException {
        return new IwarpConnectRequest(
                channel, (InetSocketAddress) channel.getRemoteAddress(), frame);
    }

    private void dropLate() {
        long now = System.nanoTime();
        for (var key : selector.keys()) {
            if (key.attachment() instanceof HalfOpen halfOpen && halfOpen.isLate(now)) {
                MpaConnect.closeQuietly(halfOpen.channel());
            }
        }
    }

    @Override
    public void close() {
        try {
            server.close();
            for (var key : selector.keys()) {
                if (key.attachment() instanceof HalfOpen halfOpen) {
                    MpaConnect.closeQuietly(halfOpen.channel());
                }
            }
            selector.close();
        } catch (IOException | ClosedSelectorException _) {
            // It was closed before.
        }
    }
}
