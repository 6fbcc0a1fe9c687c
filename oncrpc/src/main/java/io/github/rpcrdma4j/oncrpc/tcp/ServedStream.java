package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.PeerIdentity;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.oncrpc.record.ReceivedRecord;
import io.github.rpcrdma4j.oncrpc.record.RecordMarking;
import io.github.rpcrdma4j.oncrpc.record.RecordMarking.Step;
import io.github.rpcrdma4j.oncrpc.spi.CallHandler;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import io.github.rpcrdma4j.oncrpc.spi.RpcTransport;
import io.github.rpcrdma4j.oncrpc.spi.ServedPeer;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A connection of a server. One thread reads it and carries out the cheap calls. Other calls run on
 * threads of their own. The memory of the connection counts for its client.
 *
 * <p>Tests: {@code TcpRpcServerTest}.
 */
final class ServedStream implements ClientQuotas.Connection, ServedPeer {
    private static final long READ_BYTES = 64 << 10;

    /** Ends the connection without a report. */
    private static final class Ending extends RuntimeException {
        private static final long serialVersionUID = 1;

        Ending() {
            super(null, null, false, false);
        }
    }

    private final ServedSocket socket;
    private final InetSocketAddress peer;
    private final PeerIdentity identity;
    private final ClientQuotas.Quota quota;
    private final StreamService service;
    private final TcpRpcOptions options;
    private final ServerCalls serverCalls;
    private final AtomicReference<Runnable> whenEnded = new AtomicReference<>(() -> {});

    /** Set by the reading thread before the first call. */
    private CallHandler handler;

    private final Optional<ReverseDirection> reverse;
    private final ServedWrites writes;
    private final ServedCalls calls;
    private final CallTurns turns;
    private final Deadline reading = new Deadline();
    private volatile long lastActivity;
    private volatile boolean closed;
    private volatile boolean hasLeftInOrder;

    /** The counted bytes of the unfinished record. Only the reading thread uses it. */
    private long held;

    ServedStream(
            ServedSocket socket,
            InetSocketAddress peer,
            PeerIdentity identity,
            ClientQuotas.Quota quota,
            StreamService service) {
        this.socket = socket;
        this.writes = new ServedWrites(this, socket);
        this.peer = peer;
        this.identity = identity;
        this.quota = quota;
        this.service = service;
        this.options = service.options();
        this.calls = new ServedCalls(this, service, writes);
        this.turns = calls.turns();
        this.lastActivity = now();
        this.serverCalls =
                new ServerCalls(
                        HostPort.text(peer), socket.localAddress(), service.pool(), this::send);
        this.reverse = Optional.of(serverCalls);
    }

    @Override
    public ClientQuotas.Quota quota() {
        return quota;
    }

    @Override
    public boolean isBusy() {
        return turns.isBusy() || !serverCalls.sent().isEmpty();
    }

    @Override
    public long lastActivity() {
        return lastActivity;
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    TcpRpcOptions options() {
        return options;
    }

    /** Notes that the client takes or sends bytes. */
    void active() {
        lastActivity = now();
    }

    long now() {
        return service.clock().getAsLong();
    }

    /** Reads the connection until it ends. */
    void serve() {
        try {
            handler = service.handler(this);
            calls.handler(handler);
            var buffer = service.memory().lease(quota, READ_BYTES);
            try {
                read(buffer.whole());
            } finally {
                long bytes = buffer.whole().byteSize();
                buffer.close();
                quota.hold(-bytes);
            }
        } catch (IOException | InterruptedException | Ending _) {
            // The connection is lost, or the server is closing, so there is nothing to report.
        } catch (BudgetExhaustedException none) {
            service.failures().report("a TCP connection was closed for lack of memory", none);
        } catch (RuntimeException | Error broken) {
            failed(broken);
        } finally {
            close();
            calls.removeWaiting();
            writes.free();
        }
    }

    private void read(MemorySegment buffer) throws IOException, InterruptedException {
        try (var decoder = new RecordMarking.Decoder(this::lease, options.recordMax())) {
            receive(buffer, decoder);
        } finally {
            adjustHeld(0);
        }
        // The peer may have closed only its side, so its calls still get replies. It can send none.
        serverCalls.lose("the client has closed it");
        turns.awaitNone();
    }

    void failed(Throwable broken) {
        service.failures().report("a TCP connection was closed by an internal error", broken);
    }

    /** Leases memory for a record, after a wait until the client may have more. */
    private SegmentPool.Lease lease(long bytes) {
        try {
            if (!reading.isRunning()) {
                // The wait for memory counts in the time of the record.
                reading.start(now(), Timeouts.nanos(options.stallTimeout()));
            }
            if (!quota.awaitRoom(this, bytes)) {
                throw new Ending();
            }
            var lease = service.memory().lease(quota, bytes);
            held += lease.whole().byteSize();
            return lease;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new Ending();
        }
    }

    /** Corrects the counted bytes of the unfinished record to those that it holds. */
    private void adjustHeld(long actual) {
        quota.hold(actual - held);
        held = actual;
    }

    private void receive(MemorySegment buffer, RecordMarking.Decoder decoder)
            throws IOException, InterruptedException {
        var bytes = buffer.asByteBuffer();
        while (true) {
            if (socket.read(bytes.clear()) < 0) {
                hasLeftInOrder = !decoder.inRecord() && !isAwaited();
                return;
            }
            active();
            if (!take(buffer.asSlice(0, bytes.position()), decoder)) {
                service.counters().connectionsBroken.increment();
                return;
            }
        }
    }

    /** Processes received bytes. Returns false if the stream is invalid. */
    private boolean take(MemorySegment bytes, RecordMarking.Decoder decoder)
            throws IOException, InterruptedException {
        boolean goesOn = decoder.inRecord();
        long at = 0;
        while (true) {
            switch (decoder.take(bytes.asSlice(at))) {
                case Step.More() -> {
                    adjustHeld(decoder.held());
                    if (!decoder.inRecord()) {
                        reading.stop();
                    } else if (!goesOn) {
                        // The time limit is for the whole record, so a trickle of bytes does not
                        // extend it.
                        reading.start(now(), Timeouts.nanos(options.stallTimeout()));
                    }
                    return true;
                }
                case Step.Complete(var taken, var received) -> {
                    reading.stop();
                    goesOn = false;
                    at += taken;
                    adjustHeld(received.memory().whole().byteSize());
                    // From here on the memory counts for the call.
                    held = 0;
                    start(received);
                }
                case Step.Broken(var why, var isTooLong) -> {
                    var hint = isTooLong ? service.calls().longerCalls() : "";
                    service.failures()
                            .warn(
                                    identity.client(),
                                    "a TCP connection was closed, because its client sent an"
                                            + " invalid or too long record",
                                    HostPort.text(peer) + ": " + why + hint);
                    return false;
                }
            }
        }
    }

    private void start(ReceivedRecord received) throws IOException, InterruptedException {
        long bytes = received.memory().whole().byteSize();
        boolean dispatched = false;
        try {
            switch (MessageStart.of(received.message())) {
                case MessageStart.Call(var header, var arguments)
                        when handler.runsOnReader(header) ->
                        answer(new CallTurns.Arrived(header, received, arguments));
                case MessageStart.Call(var header, var arguments) -> {
                    dispatched = true;
                    calls.begin(new CallTurns.Arrived(header, received, arguments));
                }
                case MessageStart.Reply(int xid) -> {
                    dispatched = serverCalls.sent().deliver(xid, received);
                    if (dispatched) {
                        // This side asked for the reply, which no longer counts for the client.
                        quota.hold(-bytes);
                    } else {
                        service.counters().discarded.increment();
                    }
                }
                case MessageStart.Neither _ -> service.counters().discarded.increment();
            }
        } finally {
            if (!dispatched) {
                release(received);
            }
        }
    }

    /** Releases the memory of a call. */
    void release(ReceivedRecord received) {
        long bytes = received.memory().whole().byteSize();
        received.close();
        quota.hold(-bytes);
    }

    /** Notes that the reply to a call is written. */
    void answered(CallTurns.Arrived call) {
        turns.answered(call);
    }

    /** Carries out a call, and writes the reply. */
    void answer(CallTurns.Arrived call) {
        service.counters().calls.increment();
        try (var results = new XdrWriter(service.pool())) {
            if (carryOut(call, results)) {
                writes.write(results, () -> answered(call));
                service.counters().replies.increment();
            }
        } catch (IOException | InterruptedException _) {
            // A connection that cannot carry its replies is closed.
            close();
        } catch (RuntimeException | Error broken) {
            failed(broken);
            close();
        }
    }

    private boolean carryOut(CallTurns.Arrived call, XdrWriter results)
            throws InterruptedException {
        call.begin(now());
        try {
            return handler.dispatch(
                    call.header(), call.arguments(), peer, service.pool(), reverse, results);
        } finally {
            call.carriedOut();
        }
    }

    /**
     * Returns whether the client may wait for a reply. A client that has one can close the
     * connection before the thread that wrote it goes on, so this waits for that thread.
     */
    private boolean isAwaited() {
        return writes.betweenMessages(turns::areAwaited);
    }

    /** Sends a call to the client. */
    private void send(XdrWriter message, CallDeadline deadline)
            throws RpcException, InterruptedException {
        try {
            if (!writes.write(message, deadline.left(System.nanoTime()))) {
                throw serverCalls.sent().timedOut(deadline.timeout());
            }
        } catch (IOException _) {
            close();
            throw serverCalls.sent().connectionLost();
        }
    }

    @Override
    public void look(long nowNanos) {
        calls.passOverHanging(nowNanos);
        if (closed) {
            return;
        }
        boolean stalled = reading.isPast(nowNanos) || writes.isPast(nowNanos);
        boolean silent =
                nowNanos - lastActivity >= Timeouts.nanos(options.idleTimeout()) && !isBusy();
        if (stalled || silent) {
            service.counters().connectionsBroken.increment();
            close();
        }
    }

    @Override
    public InetSocketAddress address() {
        return peer;
    }

    @Override
    public PeerIdentity identity() {
        return identity;
    }

    @Override
    public boolean isPrivileged() {
        return PrivilegedPorts.contain(peer.getPort());
    }

    @Override
    public RpcTransport reverse() {
        return serverCalls.transport();
    }

    @Override
    public void whenEnded(Runnable action) {
        whenEnded.set(action);
        if (closed) {
            whenEnded.getAndSet(() -> {}).run();
        }
    }

    @Override
    public boolean hasLeftInOrder() {
        return hasLeftInOrder;
    }

    @Override
    public void close(String reason) {
        serverCalls.lose(reason);
        close();
    }

    /** Closes the connection. Closing twice is harmless. */
    @Override
    public void close() {
        closed = true;
        reading.stop();
        writes.stop();
        socket.close();
        quota.wake();
        serverCalls.lose("it was closed");
        whenEnded.getAndSet(() -> {}).run();
    }
}
