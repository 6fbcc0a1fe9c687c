package io.github.rpcrdma4j.iwarp.tcp;

import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.ddp.ReceiveQueue;
import io.github.rpcrdma4j.iwarp.mpa.MpaNegotiation;
import io.github.rpcrdma4j.iwarp.mpa.MpaNegotiation.Agreed;
import io.github.rpcrdma4j.iwarp.mpa.ScratchPool;
import io.github.rpcrdma4j.iwarp.rdmap.Fault;
import io.github.rpcrdma4j.iwarp.rdmap.Outbound;
import io.github.rpcrdma4j.iwarp.rdmap.Outcome;
import io.github.rpcrdma4j.iwarp.rdmap.Placement;
import io.github.rpcrdma4j.iwarp.rdmap.SendElement;
import io.github.rpcrdma4j.iwarp.rdmap.StreamState;
import io.github.rpcrdma4j.iwarp.rdmap.StreamState.Event;
import io.github.rpcrdma4j.iwarp.rdmap.Terminate;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.Completion.Status;
import io.github.rpcrdma4j.verbs.MemoryRegion;
import io.github.rpcrdma4j.verbs.MemoryWindow;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.UnknownHandle;
import io.github.rpcrdma4j.verbs.WorkRequest;
import io.github.rpcrdma4j.verbs.software.SoftwareDomain;
import io.github.rpcrdma4j.verbs.software.SoftwareWindows;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A queue pair on a TCP connection.
 *
 * <p>Two locks, taken in this order where both are needed: the receive lock, held by the thread
 * that polls while it reads, and by a thread that ends the connection; and the send lock, held by a
 * thread that posts or writes. A thread that posts and finds the connection broken leaves its end
 * to the thread that polls.
 */
final class IwarpQueuePair implements QueuePair, Placement.Effects {
    private static final long CLOSE_TURN_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    private final QueuePairOptions options;
    private final IwarpOptions iwarp;
    private final CrcComplaints crcComplaints;
    private final ScratchPool scratch;
    private final SoftwareDomain domain;
    private final SoftwareWindows windows;
    private final IwarpCompletionQueue completionQueue;
    private final ReceiveQueue receives;
    private final ReentrantLock receiveLock = new ReentrantLock();
    private final SendHalf sends;

    /** Changed by {@link #act} alone, as is the reason. */
    private volatile StreamState stream = StreamState.UNCONNECTED;

    /** Why the stream is in its state; null: in order. */
    private volatile String reason;

    private volatile Optional<UnknownHandle> unknownHandle = Optional.empty();
    private volatile InetSocketAddress peer;

    /** Set when the connection stands; guarded by the receive lock. */
    private TcpStream tcp;

    private Inbound inbound;
    private Placement placement;

    /** What was told last: a steady stream of the same makes no garbage. */
    private Completion lastReceived;

    IwarpQueuePair(
            QueuePairOptions options,
            IwarpOptions iwarp,
            CrcComplaints crcComplaints,
            ScratchPool scratch) {
        this.options = options;
        this.iwarp = iwarp;
        this.crcComplaints = crcComplaints;
        this.scratch = scratch;
        this.domain = SoftwareDomain.of(options.domain());
        this.completionQueue = IwarpCompletionQueue.of(options.completionQueue());
        this.windows = domain.windows();
        this.receives = new ReceiveQueue(options.receiveQueueSize());
        this.sends = new SendHalf(this, completionQueue, windows, options.sendQueueSize());
    }

    @Override
    public State state() {
        return switch (stream) {
            case UNCONNECTED -> State.INITIALIZED;
            case OPEN, CLOSING, BROKEN -> State.READY;
            case CLOSED -> State.ERROR;
        };
    }

    StreamState stream() {
        return stream;
    }

    @Override
    public Optional<String> failure() {
        return stream == StreamState.CLOSED ? Optional.ofNullable(reason) : Optional.empty();
    }

    @Override
    public Optional<UnknownHandle> unknownHandle() {
        return unknownHandle.or(sends::unknownHandle);
    }

    @Override
    public InetSocketAddress peer() {
        return peer;
    }

    /** What this side wants of a connection with that peer. */
    MpaNegotiation.Wanted wanted(InetSocketAddress of) {
        return new MpaNegotiation.Wanted(
                iwarp.crc() && !crcComplaints.contains(of.getAddress()),
                options.inboundReads(),
                options.outboundReads());
    }

    @Override
    public byte[] connect(InetSocketAddress address, byte[] privateData, Duration timeout)
            throws RdmaException, InterruptedException {
        requireInitialized();
        MpaConnect.requireShort(privateData);
        var connected =
                MpaConnect.connect(address, wanted(address), privateData, timeout, iwarp.tap());
        start(connected.tcp(), connected.agreed(), address, true);
        return connected.privateData();
    }

    void requireInitialized() {
        if (stream != StreamState.UNCONNECTED) {
            throw new IllegalStateException("a queue pair connects once");
        }
    }

    /** The connection stands: work flows from here on. If that fails, it is closed. */
    void start(TcpStream connected, Agreed agreed, InetSocketAddress address, boolean isInitiator)
            throws RdmaException {
        receiveLock.lock();
        sends.lock();
        try {
            if (stream != StreamState.UNCONNECTED) {
                throw new IOException("the queue pair was closed or connected meanwhile");
            }
            // First, as it can fail: before the state changes nothing is read.
            var key = completionQueue.register(connected.channel(), this);
            peer = address;
            tcp = connected;
            boolean ignoresFirstSend = agreed.firstFrame() == MpaNegotiation.FirstFrame.EMPTY_SEND;
            placement = new Placement(windows, receives, this, ignoresFirstSend);
            inbound = new Inbound(placement, agreed.crc(), scratch);
            var outbound =
                    new Outbound(
                            connected.outgoing(),
                            agreed,
                            iwarp.ulpduMax(),
                            !isInitiator,
                            scratch,
                            windows,
                            sends::completed);
            sends.start(outbound, key, isInitiator);
            act(Event.CONNECTED, null);
        } catch (IOException | ClosedSelectorException gone) {
            connected.close();
            throw new RdmaException.ConnectionLost(
                    "the connection was lost at once: " + gone.getMessage(), gone);
        } finally {
            sends.unlock();
            receiveLock.unlock();
        }
    }

    @Override
    public void postReceive(long workRequestId, MemoryRegion region, long offset, long length) {
        var buffers = domain.requireWritable(region);
        Sge.requireWithin(region, offset, length);
        if (stream == StreamState.CLOSED) {
            throw new IllegalStateException("the queue pair is not connected any more");
        }
        receives.add(workRequestId, buffers, offset, length);
        if (stream == StreamState.CLOSED) {
            // It ended in between; the thread that ended it may have missed this receive.
            flushPostedReceives();
        }
    }

    @Override
    public MemoryWindow bind(MemoryRegion region, long offset, long length, Set<Access> access) {
        if (stream == StreamState.UNCONNECTED) {
            throw new IllegalStateException("the queue pair is not connected");
        }
        return windows.bind(region, offset, length, access);
    }

    @Override
    public int boundWindows() {
        return windows.size();
    }

    @Override
    public void post(List<WorkRequest> requests) {
        for (int i = 0; i < requests.size(); i++) {
            windows.requireSound(requests.get(i), options.gatherMax());
        }
        sends.post(requests);
    }

    /**
     * The socket is ready for something, or may be; called by the thread that polls.
     *
     * @return whether there was something to read
     */
    boolean progress(int readyOps) {
        receiveLock.lock();
        try {
            if (!stream.isConnected()) {
                return false;
            }
            if ((readyOps & SelectionKey.OP_WRITE) != 0) {
                sends.flush();
            }
            return (readyOps & SelectionKey.OP_READ) != 0 && read();
        } finally {
            receiveLock.unlock();
        }
    }

    /** Whether what was read last ends in the middle of a message; for the thread that polls. */
    boolean isMidway() {
        return stream.isConnected() && inbound.isMidway();
    }

    /** Whether there was anything to read. */
    private boolean read() {
        try {
            var outcome = inbound.read(tcp.incoming());
            switch (outcome) {
                case Outcome.Nothing(), Outcome.More() -> {}
                case Outcome.Closed(var orderly) ->
                        act(
                                Event.LLP_CLOSED,
                                orderly ? null : "the peer closed the connection in mid-message");
                case Outcome.Broken broken -> fault(broken);
                case Outcome.Terminated(var terminate) -> terminated(terminate);
                case Outcome.Ended(var why) -> act(Event.LOCAL_ERROR, why);
            }
            return !(outcome instanceof Outcome.Nothing);
        } catch (IOException gone) {
            act(Event.LLP_LOST, "the connection was lost: " + gone.getMessage());
        } catch (IllegalStateException | InternalError closedMemory) {
            act(
                    Event.LOCAL_ERROR,
                    "memory was closed while it was in use: " + closedMemory.getMessage());
        }
        return true;
    }

    /** The upper layer of this side is told, too (RFC 5040-7.1-1). */
    private void fault(Outcome.Broken broken) {
        unknownHandle = broken.unknownHandle();
        act(Event.FAULT, "the peer broke the protocol: " + broken.fault().words(), broken);
    }

    /** The words of the peer become the failure of the queue pair (RFC 5040-5.4-2). */
    private void terminated(Terminate terminate) {
        if (terminate.equals(Terminate.of(Fault.CRC))) {
            crcComplaints.add(peer.getAddress());
        }
        sends.endOldestRead(
                terminate.refusesAccess()
                        ? Status.REMOTE_ACCESS_ERROR
                        : Status.REMOTE_OPERATION_ERROR);
        act(Event.TERMINATE_RECEIVED, terminate.words());
    }

    /** Our own mistake, or want of memory, ends the connection. */
    void fail(Throwable mistake) {
        actLocked(Event.LOCAL_ERROR, "internal error: " + mistake);
    }

    /** A thread that posted found the connection broken; called by the thread that polls. */
    void endBroken() {
        receiveLock.lock();
        try {
            // What the peer sent before it went away is still worth reading.
            if (stream.isConnected()) {
                read();
            }
            act(Event.POLLED, reason);
        } finally {
            receiveLock.unlock();
        }
    }

    private void actLocked(Event event, String why) {
        receiveLock.lock();
        try {
            act(event, why);
        } finally {
            receiveLock.unlock();
        }
    }

    /**
     * Something happened that may end the stream. The receive lock is held, or for {@link
     * Event#SEND_FAILED}, which ends nothing yet, the send lock.
     *
     * @param why null: in order
     */
    void act(Event event, String why) {
        act(event, why, null);
    }

    private void act(Event event, String why, Outcome.Broken broken) {
        sends.lock();
        try {
            var step = stream.on(event);
            if (step.next() != stream) {
                reason = why;
                stream = step.next();
            }
            for (var action : step.actions()) {
                switch (action) {
                    case SEND_TERMINATE -> terminate(broken);
                    case REPORT -> completionQueue.reportBroken(this);
                    case CLOSE_LLP -> {
                        tcp.finish();
                        // A cancelled key keeps the descriptor until the next selection.
                        completionQueue.wakeSelector();
                    }
                    case FLUSH -> flush();
                }
            }
        } finally {
            sends.unlock();
        }
    }

    private void terminate(Outcome.Broken broken) {
        try {
            sends.terminate(broken);
        } catch (RuntimeException | Error mistake) {
            // The last words are lost; the end goes on.
            reason = "internal error: " + mistake;
        }
    }

    private void flush() {
        sends.flushAll();
        if (placement != null) {
            var unfinished = placement.takeUnfinished();
            if (unfinished != null) {
                failed(unfinished, Status.FLUSHED);
            }
        }
        flushPostedReceives();
    }

    private void flushPostedReceives() {
        for (var receive : receives.drain()) {
            failed(receive, Status.FLUSHED);
        }
    }

    /** No lock is held between attempts to send what is owed to the peer (RFC 5040-6.2-2). */
    @Override
    public void close(Duration grace) {
        long start = System.nanoTime();
        long nanos = TimeUnit.NANOSECONDS.convert(grace);
        actLocked(Event.LOCAL_CLOSE, null);
        while (!sends.flush() && System.nanoTime() - start < nanos) {
            LockSupport.parkNanos(CLOSE_TURN_NANOS);
        }
        actLocked(Event.GRACE_OVER, null);
        windows.close();
    }

    /** Wakes a passive peer that missed the first frame; says whether to ask again later. */
    boolean kick(long now) {
        return sends.kick(now);
    }

    @Override
    public void received(ReceiveQueue.Posted receive, long length, DdpSegment.Untagged last) {
        long workRequestId = receive.workRequestId();
        receives.completed(receive);
        if (last.invalidates()
                || lastReceived == null
                || lastReceived.workRequestId() != workRequestId
                || lastReceived.length() != length
                || lastReceived.invalidated()) {
            lastReceived =
                    new Completion(
                            this,
                            workRequestId,
                            Completion.Operation.RECEIVE,
                            Status.SUCCESS,
                            length,
                            last.invalidates(),
                            last.invalidates() ? last.invalidate() : 0);
        }
        completionQueue.add(lastReceived);
    }

    @Override
    public void receiveFailed(ReceiveQueue.Posted receive, Status status) {
        failed(receive, status);
        receives.completed(receive);
    }

    /** A receive has ended without a message. */
    private void failed(ReceiveQueue.Posted receive, Status status) {
        completionQueue.add(receive.failed(this, status));
    }

    @Override
    public boolean readRequested(SendElement response) {
        return sends.respond(response);
    }

    @Override
    public SendElement oldestRead() {
        return sends.oldestRead();
    }

    @Override
    public void readDone() {
        sends.readDone();
    }

    @Override
    public void sinkGone() {
        sends.endOldestRead(Status.LOCAL_ACCESS_ERROR);
    }

    @Override
    public void frame() {
        sends.heard();
    }
}
