package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.util.ArrayList;
import java.util.List;

/**
 * The addresses at which a server listens. One thread accepts at all of them; any thread may wake
 * it or close this.
 */
final class TcpListeners implements Closeable {
    private static final int BACKLOG = 128;

    /** How many peers of a listener are accepted in a turn. */
    private static final int ACCEPTED_MAX = 64;

    private final Selector selector;
    private final List<ServerSocketChannel> listeners = new ArrayList<>();
    private final List<InetSocketAddress> addresses = new ArrayList<>();

    /** How often the listeners had their turns. Only the accepting thread uses it. */
    private int turns;

    private TcpListeners(Selector selector) {
        this.selector = selector;
    }

    /** Takes each peer that is accepted. */
    interface Taker {
        void take(SocketChannel peer) throws IOException;
    }

    /**
     * Listens at all addresses, or at none.
     *
     * @param addresses at least one; with port 0, the system chooses a free port
     * @throws IOException if an address cannot be bound; the message is one line that names it
     */
    static TcpListeners open(List<InetSocketAddress> addresses) throws IOException {
        var opened = new TcpListeners(Selector.open());
        boolean listens = false;
        try {
            for (var each : addresses) {
                opened.listen(each);
            }
            listens = true;
            return opened;
        } finally {
            if (!listens) {
                opened.close();
            }
        }
    }

    private void listen(InetSocketAddress address) throws IOException {
        var listener = ServerSocketChannel.open();
        listeners.add(listener);
        try {
            listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            listener.bind(address, BACKLOG);
            listener.configureBlocking(false);
            listener.register(selector, SelectionKey.OP_ACCEPT);
            addresses.add((InetSocketAddress) listener.getLocalAddress());
        } catch (UnresolvedAddressException _) {
            throw new IOException("cannot listen on " + HostPort.text(address) + ": unknown host");
        } catch (IOException failure) {
            throw new IOException(
                    "cannot listen on " + HostPort.text(address) + ": " + failure.getMessage(),
                    failure);
        }
    }

    /** Returns the addresses in their order, with the actual ports. */
    List<InetSocketAddress> addresses() {
        return List.copyOf(addresses);
    }

    /**
     * Waits until a peer waits, for a time at most. Without free descriptors accept fails even when
     * no peer is waiting, so this comes first.
     */
    void await(long millis) throws IOException {
        selector.select(millis);
        selector.selectedKeys().clear();
    }

    /** Ends {@link #await} early. */
    void wakeup() {
        selector.wakeup();
    }

    /**
     * Accepts peers that wait; the rest in later turns. The listeners take turns, so that none
     * waits for another.
     *
     * @param accepts told before each peer, and once more at the end: accept has not failed
     */
    void acceptWaiting(Runnable accepts, Taker taker) throws IOException {
        boolean isAny = true;
        for (int i = 0; isAny && i < ACCEPTED_MAX; i++) {
            isAny = false;
            // Where a descriptor is free for one peer only, another listener is the first one then.
            turns++;
            for (int k = 0; k < listeners.size(); k++) {
                var next = listeners.get(Integer.remainderUnsigned(turns + k, listeners.size()));
                var peer = next.accept();
                accepts.run();
                if (peer != null) {
                    isAny = true;
                    taker.take(peer);
                }
            }
        }
    }

    /** Stops listening. */
    @Override
    public void close() {
        listeners.forEach(TcpListeners::close);
        // A registered channel stays open until its selector is used or closed.
        close(selector);
    }

    private static void close(Closeable opened) {
        try {
            opened.close();
        } catch (IOException _) {
            // It is closed nevertheless.
        }
    }
}
