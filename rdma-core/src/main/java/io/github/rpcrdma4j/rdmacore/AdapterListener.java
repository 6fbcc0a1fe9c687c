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
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A listening id of librdmacm. Connect requests for other devices are turned away. */
final class AdapterListener implements Listener, Device.ConnectionHandler {
    private static final int BACKLOG = 128;

    /** Wakes a thread in {@link #accept} when the listener closes. */
    private static final Optional<AdapterConnectRequest> CLOSED = Optional.empty();

    private final Connection connection;
    private final InetSocketAddress address;
    private final BlockingQueue<Optional<AdapterConnectRequest>> requests =
            new LinkedBlockingQueue<>();
    private final AtomicLong turnedAway = new AtomicLong();
    private volatile boolean closed;
    private volatile boolean isDeviceGone;

    private AdapterListener(Connection connection, InetSocketAddress address) {
        this.connection = connection;
        this.address = address;
    }

    static AdapterListener open(Device device, InetSocketAddress wanted) throws RdmaException {
        var connection = Connection.create(device);
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
            return listener;
        } catch (RdmaException failed) {
            connection.destroy();
            throw failed;
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
            isDeviceGone = true;
            requests.add(CLOSED);
        }
        if (event.type() != RdmaCm.EVENT_CONNECT_REQUEST) {
            return;
        }
        if (closed || requests.size() >= BACKLOG) {
            turnedAway.incrementAndGet();
            RdmaCm.destroyId(event.id());
        } else {
            var made = new Connection(connection.device, event.id());
            requests.add(Optional.of(new AdapterConnectRequest(made, event)));
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
        while (!closed && !isDeviceGone) {
            long left = Math.max(0, deadline - System.nanoTime());
            var next = requests.poll(left, TimeUnit.NANOSECONDS);
            if (next == null) {
                return Optional.empty();
            }
            if (next.isPresent() && !closed) {
                var request = next.get();
                if (request.isOfDevice()) {
                    return Optional.of(request);
                }
                turnedAway.incrementAndGet();
                request.drop();
            }
        }
        requests.add(CLOSED);
        throw new RdmaException.ConnectionLost(
                closed
                        ? "the listener is closed"
                        : "the device " + connection.device.name + " was removed",
                null);
    }

    @Override
    public long turnedAway() {
        return turnedAway.get();
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        connection.destroy();
        for (var each = requests.poll(); each != null; each = requests.poll()) {
            each.ifPresent(AdapterConnectRequest::drop);
        }
        requests.add(CLOSED);
    }
}
