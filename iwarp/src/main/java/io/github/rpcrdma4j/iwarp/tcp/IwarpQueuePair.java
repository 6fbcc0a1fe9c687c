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
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A queue pair on a TCP connection.
 *
 * <p>It has two locks. A thread that needs both takes the receive lock first. The polling thread
 * holds the receive lock while it reads, as does a thread that ends the connection. A thread holds
 * the send lock while it posts or writes. If a posting thread finds the connection broken, it
 * leaves the end to the polling thread. Tests: {@code QueuePairByHandTest}, {@code
 * IwarpCrcContractTest}.
 */
final class IwarpQueuePair implements QueuePair, Placement.Effects {
    private static final long CLOSE_TURN_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    private final QueuePairOptions options;
    private final IwarpOptions iwarp;
    private final PeersWithWrongCrc peersWithWrongCrc;
    private final ScratchPool scratch;
    private final SoftwareDomain domain;
    private final SoftwareWindows windows;
    private final IwarpCompletionQueue completionQueue;
    private final ReceiveQueue receives;
    private final ReentrantLock receiveLock = new ReentrantLock();
    private final SendHalf sends;

    /** The state of the stream. Only {@link #act} changes it and the reason. */
    private volatile StreamState stream = StreamState.UNCONNECTED;

    /** Why the stream is in its state; null if it has no failure. */
    private volatile String reason;

    private volatile Optional<UnknownHandle> unknownHandle = Optional.empty();
    private volatile InetSocketAddress peer;
    private volatile Optional<Object> identity = Optional.empty();

    private volatile InetSocketAddress local;

    /** Set when the connection is established; guarded by the receive lock. */
    private TcpStream tcp;

    private Inbound inbound;
    private Placement placement;

    /** The last receive completion, reused for an equal one to save garbage. */
    private Completion lastReceived;

    IwarpQueuePair(
            QueuePairOptions options,
            IwarpOptions iwarp,
            PeersWithWrongCrc peersWithWrongCrc,
            ScratchPool scratch) {
        this.options = options;
        this.iwarp = iwarp;
        this.peersWithWrongCrc = peersWithWrongCrc;
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

    @Override
    public Optional<InetSocketAddress> local() {
        return Optional.ofNullable(local);
    }

    /** Returns the settings that this side requests from that peer. */
    MpaNegotiation.Requested requested(InetSocketAddress of, Optional<Object> who) {
        var asked = new PeersWithWrongCrc.Peer(of.getAddress(), who);
        return new MpaNegotiation.Requested(
                iwarp.crc() && !peersWithWrongCrc.contains(asked),
                options.inboundReads(),
                options.outboundReads());
    }

    @Override
    public byte[] connect(InetSocketAddress address, byte[] privateData, Duration timeout)
            throws RdmaException, InterruptedException {
        requireInitialized();
        MpaConnect.requireShort(privateData);
        var requested = requested(address, identity);
        var connected = MpaConnect.connect(address, requested, privateData, timeout, iwarp.tap());
        start(connected.tcp(), connected.agreed(), address, identity, true);
        return connected.privateData();
    }

    void requireInitialized() {
        if (stream != StreamState.UNCONNECTED) {
            throw new IllegalStateException("a queue pair connects once");
        }
    }

    /**
     * Starts an established connection; from now on work is sent and received. Closes it on
     * failure.
     */
    void start(
            TcpStream connected,
            Agreed agreed,
            InetSocketAddress address,
            Optional<Object> who,
            boolean isInitiator)
            throws RdmaException {
        receiveLock.lock();
        sends.lock();
        try {
            if (stream != StreamState.UNCONNECTED) {
                throw new IOException("the queue pair was closed or connected meanwhile");
            }
            // This can fail, so it comes first: nothing is read before the state changes.
            var key = completionQueue.register(connected.channel(), this);
            local = (InetSocketAddress) connected.channel().getLocalAddress();
            peer = address;
            identity = who;
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
            throw new IllegalStateException("the queue pair is no longer connected");
        }
        receives.add(workRequestId, buffers, offset, length);
        if (stream == StreamState.CLOSED) {
            // The stream ended in between, and the ending thread may have missed this receive.
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
            windows.requireValid(requests.get(i), options.gatherMax());
        }
        sends.post(requests);
    }

    @Override
    public OptionalLong bytesMoved() {
        receiveLock.lock();
        try {
            long read = inbound == null ? 0 : inbound.bytesRead();
            return OptionalLong.of(read + sends.bytesWritten());
        } finally {
            receiveLock.unlock();
        }
    }

    /**
     * Reads and writes a socket that may be ready; the polling thread calls it.
     *
     * @return whether bytes had arrived
     */
    boolean progress(int readyOps, long turnBytes) {
        receiveLock.lock();
        try {
            if (!stream.isConnected()) {
                return false;
            }
            if ((readyOps & SelectionKey.OP_WRITE) != 0) {
                sends.flush();
            }
            return (readyOps & SelectionKey.OP_READ) != 0 && read(turnBytes);
        } finally {
            receiveLock.unlock();
        }
    }

    /**
     * Returns whether the bytes read last end in the middle of a message; for the polling thread.
     */
    boolean isMidMessage() {
        return stream.isConnected() && inbound.isMidMessage();
    }

    /** Returns whether bytes had arrived. */
    private boolean read(long turnBytes) {
        try {
            var outcome = inbound.read(tcp.incoming(), turnBytes);
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

    /**
     * Ends the stream for a fault of the peer. The failure also reaches this side's upper layer
     * (RFC 5040-7.1-1).
     */
    private void fault(Outcome.Broken broken) {
        unknownHandle = broken.unknownHandle();
        act(Event.FAULT, "the peer broke the protocol: " + broken.fault().description(), broken);
    }

    /**
     * Ends the stream after a Terminate of the peer, whose reason becomes the failure of the queue
     * pair (RFC 5040-5.4-2).
     */
    private void terminated(Terminate terminate) {
        if (terminate.equals(Terminate.of(Fault.CRC))) {
            peersWithWrongCrc.add(new PeersWithWrongCrc.Peer(peer.getAddress(), identity));
        }
        sends.endOldestRead(
                terminate.refusesAccess()
                        ? Status.REMOTE_ACCESS_ERROR
                        : Status.REMOTE_OPERATION_ERROR);
        act(Event.TERMINATE_RECEIVED, terminate.description());
    }

    /** Ends the connection after a bug of this side or lack of memory. */
    void fail(Throwable mistake) {
        actLocked(Event.LOCAL_ERROR, "internal error: " + mistake);
    }

    /** Ends a connection that a sending thread found broken; the polling thread calls it. */
    void endBroken() {
        receiveLock.lock();
        try {
            // Bytes that the peer sent before the connection broke may still complete receives.
            if (stream.isConnected()) {
                read(Inbound.TURN_BYTES);
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
     * Processes an event that may end the stream. The caller holds the receive lock. For {@link
     * Event#SEND_FAILED}, which does not end the stream yet, it holds the send lock instead.
     *
     * @param why the reason; null if there is no failure
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
            // The Terminate is not sent; the stream still ends.
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

    /**
     * Closes the queue pair after sending what is owed to the peer (RFC 5040-6.2-2). It holds no
     * lock between the attempts to send.
     */
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

    /**
     * Sends an empty RDMA Write when a passive peer may have missed the first frame. Returns
     * whether to call again later.
     */
    boolean checkStartUp(long now) {
        return sends.checkStartUp(now);
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

    /** Completes a receive without a message. */
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
    public void sinkInvalidated() {
        sends.endOldestRead(Status.LOCAL_ACCESS_ERROR);
    }

    @Override
    public void frameReceived() {
        sends.frameReceived();
    }
}
