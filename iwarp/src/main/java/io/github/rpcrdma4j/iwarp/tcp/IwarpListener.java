package io.github.rpcrdma4j.iwarp.tcp;

import io.github.rpcrdma4j.iwarp.mpa.MpaFrame;
import io.github.rpcrdma4j.iwarp.mpa.MpaNegotiation;
import io.github.rpcrdma4j.iwarp.mpa.MpaNegotiation.Objection;
import io.github.rpcrdma4j.verbs.ConnectRequest;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider.PeerIdentifier;
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
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Listens, and reads the requests of all half-open connections side by side, so that a slow or
 * silent peer delays no other.
 *
 * <p>Tests: {@code HostileClientTest}, {@code ListenerShortageTest}.
 */
final class IwarpListener implements Listener {
    private static final int BACKLOG = 512;
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** How many connections are accepted before the requests of others are read. */
    private static final int ACCEPTED_MAX = 64;

    /** How long the listener waits after a failed accept before it tries again. */
    private static final long SHORTAGE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Accepts the next connection; tests replace it to fail. */
    interface Accept {
        /** Returns the next connection; null if there is none. */
        SocketChannel from(ServerSocketChannel server) throws IOException;
    }

    private final Accept accept;
    private final ServerSocketChannel server;
    private final Selector selector;
    private final SelectionKey serverKey;
    private final IwarpOptions options;
    private final Optional<PeerIdentifier> identifier;
    private final InetSocketAddress address;
    private final HalfOpenConnections halfOpen;
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<IwarpConnectRequest> requests = new ArrayDeque<>();
    private final LongAdder turnedAway = new LongAdder();
    private final LongAdder shortages = new LongAdder();

    /**
     * When the listener accepts connections again, by {@link System#nanoTime}; zero if it does now.
     */
    private long shortUntil;

    private volatile boolean closed;

    private IwarpListener(
            Accept accept,
            ServerSocketChannel server,
            Selector selector,
            SelectionKey serverKey,
            Optional<PeerIdentifier> identifier,
            IwarpOptions options,
            InetSocketAddress address) {
        this.accept = accept;
        this.server = server;
        this.selector = selector;
        this.serverKey = serverKey;
        this.identifier = identifier;
        this.options = options;
        this.address = address;
        this.halfOpen =
                new HalfOpenConnections(options.halfOpenMax(), options.halfOpenPerClientMax());
    }

    static IwarpListener open(
            InetSocketAddress wanted,
            Optional<PeerIdentifier> identifier,
            IwarpOptions options,
            Accept accept)
            throws RdmaException {
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
                return new IwarpListener(
                        accept,
                        server,
                        selector,
                        server.register(selector, SelectionKey.OP_ACCEPT),
                        identifier,
                        options,
                        (InetSocketAddress) server.getLocalAddress());
            } catch (IOException failure) {
                server.close();
                throw failure;
            }
        } catch (IOException failure) {
            throw new RdmaException.Unreachable(
                    "cannot listen on "
                            + RdmaException.nameOf(wanted)
                            + ": "
                            + failure.getMessage(),
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
        long start = System.nanoTime();
        long wait = Timeouts.nanos(timeout);
        if (!lock.tryLock(wait, TimeUnit.NANOSECONDS)) {
            return Optional.empty();
        }
        try {
            while (requests.isEmpty()) {
                if (closed) {
                    throw new IOException("closed");
                }
                long left = Math.max(0, wait - (System.nanoTime() - start));
                progress(Math.min(left, shortUntil == 0 ? TURN_NANOS : SHORTAGE_NANOS));
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
        if (shortUntil != 0 && System.nanoTime() - shortUntil >= 0) {
            // Try again, whether or not descriptors are available now.
            shortUntil = 0;
            serverKey.interestOps(SelectionKey.OP_ACCEPT);
        }
        try {
            for (var key : selector.selectedKeys()) {
                if (key == serverKey) {
                    acceptSome();
                } else if (key.isValid()) {
                    read(key);
                }
            }
        } finally {
            selector.selectedKeys().clear();
        }
        dropLate();
        // Deregisters the channels that are closed or belong to a request now.
        selector.selectNow();
    }

    /** Accepts what waits, but leaves the rest to later turns: a host may connect without end. */
    private void acceptSome() {
        try {
            for (int i = 0; i < ACCEPTED_MAX; i++) {
                var next = accept.from(server);
                if (next == null) {
                    return;
                }
                accept(next);
            }
        } catch (IOException _) {
            // No descriptor is left, or the listener is closed. Accept nothing for SHORTAGE_NANOS;
            // the peer waits in the backlog.
            shortages.increment();
            shortUntil = Math.max(1, System.nanoTime() + SHORTAGE_NANOS);
            serverKey.interestOps(0);
        }
    }

    private void accept(SocketChannel channel) {
        try {
            var peer = (InetSocketAddress) channel.getRemoteAddress();
            var local = (InetSocketAddress) channel.getLocalAddress();
            // This thread accepts no other connection before it knows whose this one is.
            var identity = identifier.map(known -> known.identify(peer, local));
            TcpStream.prepare(channel);
            long deadline = System.nanoTime() + Timeouts.nanos(options.setupTimeout());
            var newest =
                    new HalfOpenConnection(
                            new TcpStream(channel, options.tap(), false), peer, identity, deadline);
            channel.register(selector, SelectionKey.OP_READ, newest);
            var oldest = halfOpen.add(newest);
            if (oldest != null) {
                turnedAway.increment();
                oldest.tcp().close();
            }
        } catch (IOException _) {
            TcpStream.closeQuietly(channel);
        } catch (RuntimeException | Error broken) {
            TcpStream.closeQuietly(channel);
            throw broken;
        }
    }

    private void read(SelectionKey key) {
        var one = (HalfOpenConnection) key.attachment();
        try {
            var frame = one.read();
            if (frame.isPresent()) {
                key.cancel();
                halfOpen.remove(one);
                take(one, frame.get());
            }
        } catch (IOException _) {
            turnAway(one);
        } catch (RuntimeException | Error broken) {
            turnAway(one);
            throw broken;
        }
    }

    private void turnAway(HalfOpenConnection one) {
        halfOpen.remove(one);
        turnedAway.increment();
        one.tcp().close();
    }

    private void take(HalfOpenConnection one, MpaFrame frame) {
        // RFC 5044-7.1.2-3.
        var objection = MpaNegotiation.objection(frame).orElse(null);
        switch (objection) {
            case null -> requests.addLast(new IwarpConnectRequest(one, frame));
            case Objection.Refuse(var refusal) -> {
                turnedAway.increment();
                IwarpConnectRequest.refuse(one.tcp(), refusal);
            }
            case Objection.Drop _ -> {
                turnedAway.increment();
                one.tcp().close();
            }
        }
    }

    @Override
    public long turnedAway() {
        return turnedAway.sum();
    }

    @Override
    public long shortages() {
        return shortages.sum();
    }

    /** RFC 5044-7.1.2-6. */
    private void dropLate() {
        long now = System.nanoTime();
        for (var key : selector.keys()) {
            if (key.isValid()
                    && key.attachment() instanceof HalfOpenConnection one
                    && one.isLate(now)) {
                turnAway(one);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        selector.wakeup();
        lock.lock();
        try {
            server.close();
            for (var key : selector.keys()) {
                if (key.attachment() instanceof HalfOpenConnection one) {
                    one.tcp().close();
                }
            }
            selector.close();
            requests.forEach(IwarpConnectRequest::drop);
            requests.clear();
        } catch (IOException | ClosedSelectorException _) {
            // The listener was closed before.
        } finally {
            lock.unlock();
        }
    }
}
