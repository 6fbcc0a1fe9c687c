package io.github.rpcrdma4j.rdmacore;

import io.github.rpcrdma4j.rdmacore.library.CommandThread;
import io.github.rpcrdma4j.rdmacore.library.ConnectionChannel;
import io.github.rpcrdma4j.rdmacore.library.ConnectionEvent;
import io.github.rpcrdma4j.rdmacore.library.Errno;
import io.github.rpcrdma4j.rdmacore.library.EventSource;
import io.github.rpcrdma4j.rdmacore.library.Layouts;
import io.github.rpcrdma4j.rdmacore.library.Layouts.DeviceAttributes;
import io.github.rpcrdma4j.rdmacore.library.Layouts.PortAttributes;
import io.github.rpcrdma4j.rdmacore.library.Memory;
import io.github.rpcrdma4j.rdmacore.library.RdmaCm;
import io.github.rpcrdma4j.rdmacore.library.Verbs;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * An open device of libibverbs: its limits, its functions, and the one thread that waits for its
 * events. The process opens each device once, and never closes it. Thread-safe.
 *
 * <p>Tests: {@code AdapterConnections}.
 */
final class Device implements EventSource.Handler {
    private static final SafeLog LOG = new SafeLog(System.getLogger(Device.class.getName()));

    /** The pause after an event that could not be handled, so that it cannot fill the log. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The most elements that one work request gathers: a batch has room for so many. */
    private static final int GATHER_LIMIT = 32;

    private static final long MESSAGE_LIMIT = 1L << 30;

    /** Linux counts the private data and the four bytes of RFC 6581 in one byte. */
    private static final int IWARP_DATA_MAX = 251;

    private static final int RXE_VENDOR = 0xff_ffff;
    private static final int SIW_VENDOR = 0x62_6d74;

    /** A completion queue of so many entries of siw has more than 144 pages. */
    private static final int SIW_FILLER = 20_000;

    /** The most ids that stay for peers that do not answer. */
    private static final int LEAVING_MAX = 1024;

    final long context;
    final String name;
    final boolean isIwarp;
    final boolean hasWindows;

    /** Whether the device is the soft adapter for iWARP, which needs special treatment. */
    final boolean isSiw;

    /** Whether the device is the soft adapter for RoCE, which needs special treatment. */
    final boolean isRxe;

    /** Whether the kernel does the work of the device, so that posted sends are commands. */
    final boolean isSoft;

    final int ports;
    final int queueMax;
    final int gatherMax;
    final int readsInMax;
    final int readsOutMax;
    final long messageMax;
    final MemorySegment pollCq;
    final MemorySegment requestNotification;
    final MemorySegment postSend;
    final MemorySegment postReceive;
    final MemorySegment allocateWindow;
    final MemorySegment deallocateWindow;

    /** The connections whose peers do not yet know of the end. */
    final Leaving<Connection> leaving = new Leaving<>(LEAVING_MAX);

    private final long attributes = Arena.global().allocate(DeviceAttributes.SIZE, 8).address();
    private final AtomicLong nextQueue = new AtomicLong(1);
    private final Map<Long, AdapterQueuePair> byQueue = new ConcurrentHashMap<>();
    private final Map<Long, AdapterQueuePair> byPair = new ConcurrentHashMap<>();
    private final Map<Long, ConnectionHandler> byId = new ConcurrentHashMap<>();
    private final Set<AdapterDomain> domains = ConcurrentHashMap.newKeySet();

    /** The channel of completions; 0 until the device is first used. Guarded by this. */
    private long completionChannel;

    /** The channel of connections; null until the device is first used. Guarded by this. */
    private ConnectionChannel connectionChannel;

    /** Whether a thread waits for events. Guarded by this. */
    private boolean isWatched;

    /** Handles the events of one id of librdmacm, on the event thread. */
    interface ConnectionHandler {
        void handle(ConnectionEvent event);
    }

    /**
     * Describes an open device.
     *
     * @throws IllegalStateException if it has an unknown layout, or does not tell its limits
     */
    Device(long context) {
        Verbs.requireKnownContext(context);
        this.context = context;
        long device = Memory.int64(context + Layouts.Context.DEVICE);
        name = Memory.text(device + Layouts.Device.NAME);
        isIwarp = Memory.int32(device + Layouts.Device.TRANSPORT_TYPE) == Verbs.TRANSPORT_IWARP;
        int error = Verbs.queryDevice(context, attributes);
        if (error != 0) {
            throw new IllegalStateException(
                    "the device " + name + " does not tell its limits: " + Errno.text(error));
        }
        hasWindows =
                (limit(DeviceAttributes.DEVICE_CAP_FLAGS) & Verbs.CAPABILITY_WINDOW_TYPE_2B) != 0;
        isRxe = !isIwarp && limit(DeviceAttributes.VENDOR_ID) == RXE_VENDOR;
        isSiw = isIwarp && limit(DeviceAttributes.VENDOR_ID) == SIW_VENDOR;
        isSoft = isRxe || isSiw;
        ports = Memory.uint8(attributes + DeviceAttributes.PHYS_PORT_CNT);
        // A completion queue has room for the requests of both queues, and for one more.
        int completionsMax = limit(DeviceAttributes.MAX_CQE);
        queueMax = Math.min(limit(DeviceAttributes.MAX_QP_WR), (completionsMax - 1) / 2);
        gatherMax = Math.min(GATHER_LIMIT, limit(DeviceAttributes.MAX_SGE));
        readsInMax = Math.min(255, limit(DeviceAttributes.MAX_QP_RD_ATOM));
        readsOutMax = Math.min(255, limit(DeviceAttributes.MAX_QP_INIT_RD_ATOM));
        messageMax = messageMax();
        pollCq = Verbs.operation(context, Layouts.Context.OPS__POLL_CQ);
        requestNotification = Verbs.operation(context, Layouts.Context.OPS__REQ_NOTIFY_CQ);
        postSend = Verbs.operation(context, Layouts.Context.OPS__POST_SEND);
        postReceive = Verbs.operation(context, Layouts.Context.OPS__POST_RECV);
        allocateWindow = Verbs.operation(context, Layouts.Context.OPS__ALLOC_MW);
        deallocateWindow = Verbs.operation(context, Layouts.Context.OPS__DEALLOC_MW);
    }

    /** Returns a value of 32 bits in {@code struct ibv_device_attr}. */
    int limit(long offset) {
        return Memory.int32(attributes + offset);
    }

    String firmware() {
        return Memory.text(attributes + DeviceAttributes.FW_VER);
    }

    private long messageMax() {
        try (var arena = Arena.ofConfined()) {
            long port = arena.allocate(PortAttributes.SIZE, 8).address();
            int error = Verbs.queryPort(context, 1, port);
            if (error != 0) {
                throw new IllegalStateException(
                        "the device "
                                + name
                                + " does not tell the limits of its port: "
                                + Errno.text(error));
            }
            long told = Integer.toUnsignedLong(Memory.int32(port + PortAttributes.MAX_MSG_SZ));
            return told == 0 ? MESSAGE_LIMIT : Math.min(told, MESSAGE_LIMIT);
        }
    }

    /** Returns the most private data of a connect request, in bytes. */
    int requestDataMax() {
        return isIwarp ? IWARP_DATA_MAX : 56;
    }

    /** Returns the most private data of an accepting answer, in bytes. */
    int acceptDataMax() {
        return isIwarp ? IWARP_DATA_MAX : 196;
    }

    /** Returns the most private data of a rejecting answer, in bytes. */
    int rejectDataMax() {
        return isIwarp ? IWARP_DATA_MAX : 148;
    }

    /** Returns how many RDMA Reads a peer may have outstanding. */
    int readsIn(QueuePairOptions options) {
        return Math.min(options.inboundReads(), readsInMax);
    }

    /** Returns how many RDMA Reads this side may have outstanding. */
    int readsOut(QueuePairOptions options) {
        return Math.min(options.outboundReads(), readsOutMax);
    }

    /**
     * Returns how many RDMA Reads of this side the peer answers, by its answer to the connect
     * request. On iWARP, siw and irdma report both numbers the other way round than rdma_accept(3)
     * and the connection manager of InfiniBand and RoCE do.
     */
    int agreedReadsOut(ConnectionEvent answer) {
        return isIwarp ? answer.responderResources() : answer.initiatorDepth();
    }

    /** Opens the channels and starts the thread that waits for events, at the first use. */
    private synchronized void start() {
        if (isWatched) {
            return;
        }
        if (completionChannel == 0) {
            completionChannel = Errors.pointer(Verbs.createCompletionChannel(context), this);
            if (isSiw) {
                // libsiw takes the object that starts at page 144 of the device's mapping for one
                // that could not be made, so this one lies across that page.
                Errors.pointer(Verbs.createCq(context, SIW_FILLER, 0, 0), this);
            }
        }
        if (connectionChannel == null) {
            connectionChannel = ConnectionChannel.open();
        }
        var source = new EventSource(context, completionChannel, connectionChannel);
        // Destroying what has ended takes commands.
        CommandThread.start(
                Thread.ofPlatform()
                        .daemon()
                        .name("rdma-" + name)
                        .unstarted(() -> handleAll(source)));
        isWatched = true;
    }

    private void handleAll(EventSource source) {
        while (true) {
            try {
                source.next(this);
            } catch (RuntimeException | Error failure) {
                // The other connections of the device still need their events.
                LOG.failed("an event of " + name + " was not handled", failure);
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    synchronized long completionChannel() {
        start();
        return completionChannel;
    }

    synchronized ConnectionChannel connectionChannel() {
        start();
        return connectionChannel;
    }

    /** Returns a number for the context of a completion queue, whose events go to a queue pair. */
    long watchQueue(AdapterQueuePair queuePair) {
        long number = nextQueue.getAndIncrement();
        byQueue.put(number, queuePair);
        return number;
    }

    void forgetQueue(long number) {
        byQueue.remove(number);
    }

    void watchDomain(AdapterDomain domain) {
        domains.add(domain);
    }

    void forgetDomain(AdapterDomain domain) {
        domains.remove(domain);
    }

    /** Sends asynchronous events about something of the adapter to its queue pair. */
    void watchPair(long element, AdapterQueuePair queuePair) {
        byPair.put(element, queuePair);
    }

    void forgetPair(long element) {
        byPair.remove(element);
    }

    void watchId(long id, ConnectionHandler handler) {
        byId.put(id, handler);
    }

    void forgetId(long id) {
        byId.remove(id);
    }

    @Override
    public void tidy() {
        Steps.forEach(domains, AdapterDomain::tidy);
    }

    @Override
    public void completion(long cqContext) {
        var queuePair = byQueue.get(cqContext);
        if (queuePair != null) {
            queuePair.hasCompletions();
        }
    }

    @Override
    public Runnable asynchronous(int type, long element) {
        var loss = Errors.asynchronous(type, name);
        if (loss.isEmpty()) {
            return () -> {};
        }
        var concerned =
                switch (loss.get().scope()) {
                    case QUEUE_PAIR -> Optional.ofNullable(byPair.get(element)).stream().toList();
                    case DEVICE -> Set.copyOf(byPair.values());
                };
        return () -> Steps.forEach(concerned, each -> each.lose(Optional.of(loss.get().reason())));
    }

    @Override
    public Runnable connection(ConnectionEvent event) {
        // A connect request has a new id, which only its listener knows.
        boolean isRequest = event.type() == RdmaCm.EVENT_CONNECT_REQUEST;
        var handler = byId.get(isRequest ? event.listener() : event.id());
        if (handler != null) {
            return () -> handler.handle(event);
        }
        return isRequest ? () -> RdmaCm.destroyId(event.id()) : () -> {};
    }
}
