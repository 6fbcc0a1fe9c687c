package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.oncrpc.record.ReceivedRecord;
import io.github.rpcrdma4j.oncrpc.record.RecordMarking;
import io.github.rpcrdma4j.oncrpc.record.RecordMarking.Step;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * A connection of a server. One thread reads it and carries out the cheap calls. Other calls run on
 * threads of their own. The memory of the connection counts for its client.
 */
final class ServedStream implements ClientQuotas.Connection {
    private static final long READ_BYTES = 64 << 10;

    /**
     * The length from which a reply counts as memory of the client, in bytes. For shorter replies,
     * the bound on calls suffices.
     */
    private static final long COUNTED_REPLY_BYTES = 4 << 10;

    /** The objects that all connections of a server share. */
    record Service(
            RpcDispatcher dispatcher,
            SegmentPool pool,
            ServedMemory memory,
            CallThreads threads,
            Counters counters,
            TcpRpcOptions options,
            FailureLog failures,
            LongSupplier clock) {}

    /** Ends the connection without a report. */
    private static final class Ending extends RuntimeException {
        private static final long serialVersionUID = 1;

        Ending() {
            super(null, null, false, false);
        }
    }

    private final SocketChannel channel;
    private final InetSocketAddress peer;
    private final ClientQuotas.Quota quota;
    private final Service service;
    private final TcpRpcOptions options;

    private final Semaphore calls;
    private final ReentrantLock writing = new ReentrantLock();
    private final Deadline reading = new Deadline();
    private final Deadline reply = new Deadline();
    private volatile long lastActivity;
    private volatile boolean closed;

    /** The counted bytes of the unfinished record. Only the reading thread uses it. */
    private long held;

    ServedStream(
            SocketChannel channel,
            InetSocketAddress peer,
            ClientQuotas.Quota quota,
            Service service) {
        this.channel = channel;
        this.peer = peer;
        this.quota = quota;
        this.service = service;
        this.options = service.options();
        this.calls = new Semaphore(options.callsPerConnectionMax());
        this.lastActivity = now();
    }

    ClientQuotas.Quota quota() {
        return quota;
    }

    @Override
    public boolean isBusy() {
        return calls.availablePermits() < options.callsPerConnectionMax();
    }

    @Override
    public long lastActivity() {
        return lastActivity;
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    private long now() {
        return service.clock().getAsLong();
    }

    /** Reads the connection until it ends. */
    void serve() {
        try {
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
        }
    }

    private void read(MemorySegment buffer) throws IOException, InterruptedException {
        try (var decoder = new RecordMarking.Decoder(this::lease, options.recordMax())) {
            receive(buffer, decoder);
        } finally {
            adjustHeld(0);
        }
        // The peer may have closed only its side, so its calls still get replies.
        calls.acquire(options.callsPerConnectionMax());
    }

    private void failed(Throwable broken) {
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
            if (channel.read(bytes.clear()) < 0) {
                return;
            }
            lastActivity = now();
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
                case Step.Broken _ -> {
                    return false;
                }
            }
        }
    }

    private void start(ReceivedRecord received) throws IOException, InterruptedException {
        boolean dispatched = false;
        try {
            var header = RpcDispatcher.peek(received.message());
            if (header.isEmpty()) {
                service.counters().discarded.increment();
            } else if (service.dispatcher().runsOnReader(header.get())) {
                answer(received);
            } else {
                dispatchToThread(header.get(), received);
                dispatched = true;
            }
        } finally {
            if (!dispatched) {
                release(received);
            }
        }
    }

    private void release(ReceivedRecord received) {
        long bytes = received.memory().whole().byteSize();
        received.close();
        quota.hold(-bytes);
    }

    /**
     * Passes a call to a thread of its own, after a wait until one more call may be in progress.
     */
    private void dispatchToThread(CallHeader header, ReceivedRecord received)
            throws IOException, InterruptedException {
        boolean dispatched = false;
        calls.acquire();
        try {
            if (!quota.startCall(this)) {
                throw new ClosedChannelException();
            }
            try {
                // The amount of data is in the arguments, which are not decoded yet.
                var kind = service.dispatcher().kind(header, false);
                service.threads().execute(quota, () -> answerAndRelease(received), kind);
                dispatched = true;
            } catch (RejectedExecutionException _) {
                throw new InterruptedException("the server is closing");
            } finally {
                if (!dispatched) {
                    quota.endCall();
                }
            }
        } finally {
            if (!dispatched) {
                calls.release();
            }
        }
    }

    private void answerAndRelease(ReceivedRecord received) {
        try {
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedException("the server stops");
            }
            service.memory().makeRoom(quota, options.recordMax());
            answer(received);
        } catch (InterruptedException _) {
            // The server is closing.
            close();
        } finally {
            release(received);
            lastActivity = now();
            quota.endCall();
            calls.release();
        }
    }

    private void answer(ReceivedRecord received) {
        service.counters().calls.increment();
        try (var results = new XdrWriter(service.pool())) {
            var call = new XdrReader(received.message());
            if (service.dispatcher().dispatch(call, peer, service.pool(), results)) {
                write(results);
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

    private void write(XdrWriter message) throws IOException {
        var pieces = RecordMarking.encode(message);
        long bytes = pieces.stream().mapToLong(MemorySegment::byteSize).sum();
        long counted = bytes < COUNTED_REPLY_BYTES ? 0 : bytes;
        quota.hold(counted);
        boolean written = false;
        writing.lock();
        try {
            reply.start(now(), Timeouts.nanos(options.stallTimeout()));
            var write = new GatheringWrite(pieces);
            while (!write.writeTo(channel)) {
                lastActivity = now();
            }
            written = true;
        } finally {
            if (!written) {
                // The thread that takes the lock next must not write into an unfinished record.
                close();
            }
            reply.stop();
            writing.unlock();
            quota.hold(-counted);
        }
    }

    @Override
    public void closeIfOverdue(long nowNanos) {
        boolean stalled = reading.isPast(nowNanos) || reply.isPast(nowNanos);
        boolean silent =
                nowNanos - lastActivity >= Timeouts.nanos(options.idleTimeout()) && !isBusy();
        if (stalled || silent) {
            service.counters().connectionsBroken.increment();
            close();
        }
    }

    /** Closes the connection. Closing twice is harmless. */
    @Override
    public void close() {
        closed = true;
        reading.stop();
        reply.stop();
        try {
            channel.close();
        } catch (IOException _) {
            // It is closed nevertheless.
        }
        quota.wake();
    }
}
