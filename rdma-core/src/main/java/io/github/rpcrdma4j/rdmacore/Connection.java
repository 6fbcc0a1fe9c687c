package io.github.rpcrdma4j.rdmacore;

import io.github.rpcrdma4j.rdmacore.library.CommandThread;
import io.github.rpcrdma4j.rdmacore.library.ConnectionEvent;
import io.github.rpcrdma4j.rdmacore.library.Errno;
import io.github.rpcrdma4j.rdmacore.library.Layouts;
import io.github.rpcrdma4j.rdmacore.library.Layouts.ConnectionParameters;
import io.github.rpcrdma4j.rdmacore.library.Memory;
import io.github.rpcrdma4j.rdmacore.library.RdmaCm;
import io.github.rpcrdma4j.rdmacore.library.SocketAddresses;
import io.github.rpcrdma4j.verbs.RdmaException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * One id of librdmacm: the addresses of a connection, and its events. Thread-safe.
 *
 * <p>Tests: {@code AdapterConnections}.
 */
final class Connection implements Device.ConnectionHandler {
    private static final SafeLog LOG = new SafeLog(System.getLogger(Connection.class.getName()));

    // The reasons of a rejection on InfiniBand and RoCE.
    private static final int NO_SUCH_SERVICE = 8;
    private static final int CONSUMER_REJECTED = 28;

    /** The type of the event that this side adds when it gives up. librdmacm has none. */
    private static final int GIVEN_UP = -1;

    /** As Linux: a peer that does not answer is lost after some seconds. */
    private static final int RETRIES = 7;

    final Device device;
    final long id;
    private final BlockingQueue<ConnectionEvent> events = new LinkedBlockingQueue<>();

    /**
     * The queue pair to tell of the end of the connection, once it is connected. Guarded by this.
     */
    private AdapterQueuePair connected;

    /**
     * Whether the kernel has told of the end, so that nothing is owed to the peer. Guarded by this.
     */
    private boolean hasEnded;

    /** Whether the id is destroyed when the kernel tells of the end. Guarded by this. */
    private boolean isLeaving;

    /** Why this side gave up; set before its event. */
    private volatile String whyGivenUp;

    /** Whether a thread is in rdma_connect for the id. Guarded by this. */
    private boolean inCall;

    /** What destroys the id, once it is not needed any more; else null. Guarded by this. */
    private Runnable destruction;

    Connection(Device device, long id) {
        this.device = device;
        this.id = id;
        device.watchId(id, this);
    }

    static void requireData(byte[] privateData, int max) {
        if (privateData.length > max) {
            throw new IllegalArgumentException("the private data is longer than " + max + " bytes");
        }
    }

    static Connection create(Device device) throws RdmaException {
        try (var arena = Arena.ofConfined()) {
            long into = arena.allocate(Long.BYTES, Long.BYTES).address();
            int error = device.connectionChannel().createId(into);
            if (error != 0) {
                throw new RdmaException.Unreachable(
                        "no connection can be made with " + device.name + Errors.because(error),
                        null);
            }
            return new Connection(device, Memory.int64(into));
        }
    }

    /** Finds the adapter and the path to an address. */
    void resolve(InetSocketAddress to, long deadline) throws RdmaException, InterruptedException {
        try (var arena = Arena.ofConfined()) {
            long address = arena.allocate(SocketAddresses.SIZE, 8).address();
            SocketAddresses.write(to, address);
            require(RdmaCm.resolveAddress(id, address, millis(deadline)), to);
            await(RdmaCm.EVENT_ADDRESS_RESOLVED, to, deadline);
            requireDevice(to);
            require(RdmaCm.resolveRoute(id, millis(deadline)), to);
            await(RdmaCm.EVENT_ROUTE_RESOLVED, to, deadline);
        }
    }

    /**
     * Checks that the id belongs to the device.
     *
     * @throws RdmaException.Unreachable if the address is that of another device
     */
    void requireDevice(InetSocketAddress address) throws RdmaException {
        if (!isOfDevice()) {
            throw new RdmaException.Unreachable(
                    device.name
                            + " does not reach "
                            + RdmaException.nameOf(address)
                            + ", which is reached through another adapter",
                    null);
        }
    }

    /** Returns whether the id belongs to the device, or to none yet. */
    boolean isOfDevice() {
        long verbs = Memory.int64(id + Layouts.Id.VERBS);
        return verbs == 0 || verbs == device.context;
    }

    /**
     * Connects, and waits for the answer.
     *
     * @return the event of the connection
     */
    ConnectionEvent connect(
            InetSocketAddress to, byte[] privateData, int readsIn, int readsOut, long deadline)
            throws RdmaException, InterruptedException {
        synchronized (this) {
            inCall = true;
        }
        boolean hasStarted = false;
        try {
            // On iWARP this call waits for TCP, so it runs on a thread of its own.
            CommandThread.start(
                    Thread.ofPlatform()
                            .daemon()
                            .name("rdma-connect")
                            .unstarted(() -> connectNow(privateData, readsIn, readsOut)));
            hasStarted = true;
        } finally {
            if (!hasStarted) {
                afterCall();
            }
        }
        return await(RdmaCm.EVENT_ESTABLISHED, to, deadline);
    }

    private void connectNow(byte[] privateData, int readsIn, int readsOut) {
        try {
            int error;
            try (var arena = Arena.ofConfined()) {
                error = RdmaCm.connect(id, parameters(arena, privateData, readsIn, readsOut));
            } finally {
                afterCall();
            }
            if (error != 0) {
                events.add(ownEvent(RdmaCm.EVENT_CONNECT_ERROR, error));
            }
        } catch (RuntimeException | Error failure) {
            LOG.failed("a connection was neither made nor ended", failure);
            events.add(ownEvent(RdmaCm.EVENT_CONNECT_ERROR, Errno.EIO));
        }
    }

    private ConnectionEvent ownEvent(int type, int error) {
        return new ConnectionEvent(id, 0, type, -error, new byte[0], 0, 0);
    }

    /**
     * Ends the wait for the answer of the peer.
     *
     * @param why what the waiting call tells its caller
     */
    void giveUp(String why) {
        whyGivenUp = why;
        events.add(ownEvent(GIVEN_UP, 0));
    }

    /** Accepts the request of the peer. Returns 0 or an error number. */
    int accept(byte[] privateData, int readsIn, int readsOut) {
        try (var arena = Arena.ofConfined()) {
            return RdmaCm.accept(id, parameters(arena, privateData, readsIn, readsOut));
        }
    }

    void reject(byte[] privateData) {
        try (var arena = Arena.ofConfined()) {
            var data = copy(arena, privateData);
            RdmaCm.reject(id, data.address(), privateData.length);
        }
    }

    private static MemorySegment copy(Arena arena, byte[] privateData) {
        var copy = arena.allocate(Math.max(1, privateData.length));
        copy.asSlice(0, privateData.length).copyFrom(MemorySegment.ofArray(privateData));
        return copy;
    }

    private static long parameters(Arena arena, byte[] privateData, int readsIn, int readsOut) {
        long at = arena.allocate(ConnectionParameters.SIZE, 8).address();
        Memory.int64(at + ConnectionParameters.PRIVATE_DATA, copy(arena, privateData).address());
        Memory.int8(at + ConnectionParameters.PRIVATE_DATA_LEN, privateData.length);
        Memory.int8(at + ConnectionParameters.RESPONDER_RESOURCES, readsIn);
        Memory.int8(at + ConnectionParameters.INITIATOR_DEPTH, readsOut);
        Memory.int8(at + ConnectionParameters.RETRY_COUNT, RETRIES);
        // RPC-over-RDMA sends no message without a receive for it (RFC 8166, Section 3.3.1).
        Memory.int8(at + ConnectionParameters.RNR_RETRY_COUNT, 0);
        return at;
    }

    private ConnectionEvent await(int type, InetSocketAddress peer, long deadline)
            throws RdmaException, InterruptedException {
        long left = deadline - System.nanoTime();
        var event = events.poll(Math.max(0, left), TimeUnit.NANOSECONDS);
        if (event == null) {
            throw new RdmaException.TimedOut(
                    RdmaException.nameOf(peer) + " did not answer in time");
        }
        if (event.type() == type) {
            return event;
        }
        throw failure(event, peer);
    }

    private RdmaException failure(ConnectionEvent event, InetSocketAddress peer) {
        int error = -event.status();
        return switch (event.type()) {
            case RdmaCm.EVENT_REJECTED -> rejection(event, peer);
            case RdmaCm.EVENT_ADDRESS_ERROR, RdmaCm.EVENT_ROUTE_ERROR ->
                    new RdmaException.Unreachable(
                            device.name
                                    + " has no route to "
                                    + RdmaException.nameOf(peer)
                                    + Errors.because(error),
                            null);
            case RdmaCm.EVENT_DEVICE_REMOVAL ->
                    new RdmaException.ConnectionLost(
                            "the device " + device.name + " was removed", null);
            case GIVEN_UP -> new RdmaException.ConnectionLost(whyGivenUp, null);
            default ->
                    new RdmaException.Unreachable(
                            RdmaException.nameOf(peer)
                                    + " cannot be reached"
                                    + Errors.because(error),
                            null);
        };
    }

    private RdmaException rejection(ConnectionEvent event, InetSocketAddress peer) {
        // On iWARP a refusal by TCP has no private data. siw reports a rejection as a reset.
        boolean isRejected =
                device.isIwarp
                        ? event.status() == -Errno.ECONNRESET || event.privateData().length > 0
                        : event.status() == CONSUMER_REJECTED;
        if (isRejected) {
            return new RdmaException.Rejected(
                    RdmaException.nameOf(peer) + " rejected the connection", event.privateData());
        }
        var why =
                event.status() == NO_SUCH_SERVICE || event.status() == -Errno.ECONNREFUSED
                        ? ": nothing listens there"
                        : ": rejected for reason " + event.status();
        return new RdmaException.Unreachable(RdmaException.nameOf(peer) + why, null);
    }

    private void require(int error, InetSocketAddress peer) throws RdmaException {
        if (error != 0) {
            throw new RdmaException.Unreachable(
                    RdmaException.nameOf(peer)
                            + " cannot be reached with "
                            + device.name
                            + Errors.because(error),
                    null);
        }
    }

    private static int millis(long deadline) {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        return Math.clamp(left, 1, Integer.MAX_VALUE);
    }

    /** Returns the peer's address of a connect request. */
    InetSocketAddress peer() {
        return SocketAddresses.read(id + Layouts.Id.ROUTE__ADDR__DST_ADDR);
    }

    /** Sends the end of the connection to a queue pair from now on. */
    void connected(AdapterQueuePair queuePair) {
        synchronized (this) {
            connected = queuePair;
        }
        // The end may have arrived before.
        for (var each = events.poll(); each != null; each = events.poll()) {
            handle(each);
        }
    }

    @Override
    public void handle(ConnectionEvent event) {
        if (hasLeft(event)) {
            return;
        }
        AdapterQueuePair queuePair;
        // An event is either in the queue before the queue pair takes what is there, or goes to it.
        synchronized (this) {
            queuePair = connected;
            if (queuePair == null) {
                if (event.type() != RdmaCm.EVENT_TIMEWAIT_EXIT) {
                    events.add(event);
                }
                return;
            }
        }
        switch (event.type()) {
            case RdmaCm.EVENT_DISCONNECTED -> queuePair.disconnected();
            // The kernel of a peer without the last datagram of the handshake rejects it.
            case RdmaCm.EVENT_REJECTED -> queuePair.lose(Optional.empty());
            case RdmaCm.EVENT_DEVICE_REMOVAL ->
                    queuePair.lose(Optional.of("the device " + device.name + " was removed"));
            case RdmaCm.EVENT_ADDRESS_CHANGE ->
                    queuePair.lose(Optional.of("the path to the peer changed (ADDR_CHANGE)"));
            case RdmaCm.EVENT_CONNECT_ERROR, RdmaCm.EVENT_UNREACHABLE ->
                    queuePair.lose(
                            Optional.of(
                                    "the peer did not complete its connection"
                                            + Errors.because(-event.status())));
            default -> {
                // ESTABLISHED of an accepted connection, or an event without meaning for it.
            }
        }
    }

    /** Returns whether no queue pair needs the event: this side has ended the connection. */
    private boolean hasLeft(ConnectionEvent event) {
        boolean isEnd = isEnd(event.type());
        synchronized (this) {
            hasEnded |= isEnd;
            if (destruction != null) {
                return true;
            }
            if (!isLeaving) {
                return false;
            }
            if (event.type() == RdmaCm.EVENT_ESTABLISHED) {
                // Another thread may give the id up, and destroys it only after this.
                disconnect();
            }
        }
        if (isEnd || event.type() == RdmaCm.EVENT_TIMEWAIT_EXIT) {
            destroy();
        }
        return true;
    }

    private static boolean isEnd(int type) {
        return switch (type) {
            case RdmaCm.EVENT_DISCONNECTED,
                    RdmaCm.EVENT_REJECTED,
                    RdmaCm.EVENT_CONNECT_ERROR,
                    RdmaCm.EVENT_UNREACHABLE,
                    RdmaCm.EVENT_DEVICE_REMOVAL ->
                    true;
            default -> false;
        };
    }

    /**
     * Ends the connection. Until the kernel knows that the peer has the answer to its request, this
     * does nothing, and no error tells so; the first messages of the peer may come before.
     */
    void disconnect() {
        RdmaCm.disconnect(id);
    }

    /**
     * Destroys the id of a connection that this side ends, once the peer knows. On InfiniBand and
     * RoCE the end is a datagram. The kernel repeats it, for about a minute at most, unless the id
     * is destroyed; if it is lost then, the peer stays connected for as long as it only receives.
     * Peers that do not answer keep a bounded number of ids.
     */
    void leave() {
        Optional<Connection> longest;
        synchronized (this) {
            isLeaving = !device.isIwarp && !hasEnded;
            if (isLeaving) {
                // The kernel may have become ready since the connection was ended. The event thread
                // cannot destroy the id meanwhile.
                disconnect();
                longest = device.leaving.add(this);
            } else {
                longest = Optional.of(this);
            }
        }
        longest.ifPresent(Connection::destroy);
    }

    private void afterCall() {
        Runnable wanted;
        synchronized (this) {
            inCall = false;
            wanted = destruction;
        }
        if (wanted != null) {
            wanted.run();
        }
    }

    /** Destroys the id. */
    void destroy() {
        destroy(() -> {});
    }

    /**
     * Destroys the queues of the id and then the id itself. If a thread is in rdma_connect, that
     * thread does so: until then the kernel keeps the queue pair, and would let this one wait.
     *
     * @param queues destroys the queues
     */
    void destroy(Runnable queues) {
        synchronized (this) {
            if (destruction != null) {
                return;
            }
            device.forgetId(id);
            device.leaving.remove(this);
            destruction = () -> Steps.runAll(queues, () -> RdmaCm.destroyId(id));
            if (inCall) {
                return;
            }
        }
        destruction.run();
    }
}
