package io.github.rpcrdma4j.rdmacore;

import io.github.rpcrdma4j.rdmacore.library.ConnectionEvent;
import io.github.rpcrdma4j.rdmacore.library.RdmaCm;
import io.github.rpcrdma4j.rdmacore.library.SocketAddresses;
import io.github.rpcrdma4j.verbs.ConnectRequest;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.RdmaException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A listening id of librdmacm. Connect requests for other devices are turned away.
 *
 * <p>Tests: {@code AdapterConnections}.
 */
final class AdapterListener implements Listener, Device.ConnectionHandler {
    private static final int BACKLOG = 128;

    /**
     * Wakes the threads in {@link #accept} when the listener ends. The queue has it from then on.
     */
    private static final Optional<AdapterConnectRequest> END = Optional.empty();

    private final Connection connection;
    private final InetSocketAddress address;
    private final BlockingQueue<Optional<AdapterConnectRequest>> requests =
            new LinkedBlockingQueue<>();
    private final AtomicLong turnedAway = new AtomicLong();

    /** Why nothing is accepted any more, or null. Set with the monitor of this. */
    private volatile String ended;

    /** Guarded by this. */
    private boolean closed;

    private AdapterListener(Connection connection, InetSocketAddress address) {
        this.connection = connection;
        this.address = address;
    }

    static AdapterListener open(Device device, InetSocketAddress wanted) throws RdmaException {
        var connection = Connection.create(device);
        boolean isOpen = false;
        try (var arena = Arena.ofConfined()) {
            long at = arena.allocate(SocketAddresses.SIZE, 8).address();
            SocketAddresses.write(wanted, at);
            require(RdmaCm.bind(connection.id, at), wanted, device);
            connection.requireDevice(wanted);
            int port = RdmaCm.sourcePort(connection.id);
            var actual = new InetSocketAddress(wanted.getAddress(), port);
            var listener = new AdapterListener(connection, actual);
            device.watchId(connection.id, listener);
            require(RdmaCm.listen(connection.id, BACKLOG), wanted, device);
            isOpen = true;
            return listener;
        } finally {
            if (!isOpen) {
                connection.destroy();
            }
        }
    }

    private static void require(int error, InetSocketAddress address, Device device)
            throws RdmaException {
        if (error != 0) {
            throw new RdmaException.Unreachable(
                    device.name
                            + " cannot listen at "
                            + RdmaException.nameOf(address)
                            + Errors.because(error),
                    null);
        }
    }

    @Override
    public void handle(ConnectionEvent event) {
        if (event.type() == RdmaCm.EVENT_DEVICE_REMOVAL) {
            end("the device " + connection.device.name + " was removed");
        } else if (event.type() == RdmaCm.EVENT_CONNECT_REQUEST && !offer(event)) {
            turnedAway.incrementAndGet();
            RdmaCm.destroyId(event.id());
        }
    }

    private synchronized boolean offer(ConnectionEvent event) {
        if (ended != null || requests.size() >= BACKLOG) {
            return false;
        }
        var made = new Connection(connection.device, event.id());
        return requests.add(Optional.of(new AdapterConnectRequest(made, event)));
    }

    /** Drops the requests that no thread has taken, and wakes the threads that wait for one. */
    private void end(String why) {
        synchronized (this) {
            if (ended != null) {
                return;
            }
            ended = why;
        }
        var dropped = new ArrayList<Optional<AdapterConnectRequest>>();
        requests.drainTo(dropped);
        requests.add(END);
        Steps.forEach(dropped, each -> each.ifPresent(AdapterConnectRequest::drop));
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public Optional<ConnectRequest> accept(Duration timeout)
            throws RdmaException, InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (true) {
            long left = Math.max(0, deadline - System.nanoTime());
            var next = requests.poll(left, TimeUnit.NANOSECONDS);
            if (next == null) {
                return Optional.empty();
            }
            if (next.isEmpty()) {
                requests.add(END);
                throw new RdmaException.ConnectionLost(ended, null);
            }
            var request = next.get();
            if (request.isOfDevice()) {
                return Optional.of(request);
            }
            turnedAway.incrementAndGet();
            request.drop();
        }
    }

    @Override
    public long turnedAway() {
        return turnedAway.get();
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        Steps.runAll(() -> end("the listener is closed"), connection::destroy);
    }
}
