package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.oncrpc.RpcDispatcher;
import io.github.rpcrdma4j.oncrpc.record.ReceivedRecord;
import io.github.rpcrdma4j.oncrpc.record.RecordMarking;
import io.github.rpcrdma4j.oncrpc.record.RecordMarking.Step;
import io.github.rpcrdma4j.xdr.SegmentPool;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A connection of a server. One thread reads it, and carries out the calls that are cheap; the
 * others run on threads of their own.
 */
final class ServedStream {
    private static final Logger LOG = System.getLogger(ServedStream.class.getName());
    private static final long READ_BYTES = 64 << 10;

    private final SocketChannel channel;
    private final InetSocketAddress peer;
    private final RpcDispatcher dispatcher;
    private final SegmentPool pool;
    private final ExecutorService threads;
    private final Semaphore serverCalls;
    private final Counters counters;
    private final TcpRpcOptions options;

    private final Semaphore calls;
    private final ReentrantLock writing = new ReentrantLock();
    private final Deadline reading = new Deadline();
    private final Deadline reply = new Deadline();
    private final Deadline idle = new Deadline();

    ServedStream(
            SocketChannel channel,
            RpcDispatcher dispatcher,
            SegmentPool pool,
            ExecutorService threads,
            Semaphore serverCalls,
            Counters counters,
            TcpRpcOptions options)
            throws IOException {
        this.channel = channel;
        this.peer = (InetSocketAddress) channel.getRemoteAddress();
        this.dispatcher = dispatcher;
        this.pool = pool;
        this.threads = threads;
        this.serverCalls = serverCalls;
        this.counters = counters;
        this.options = options;
        this.calls = new Semaphore(options.callsPerConnectionMax());
    }

    /** Whether its peer has that address. */
    boolean isFrom(InetAddress client) {
        return peer.getAddress().equals(client);
    }

    /** Reads the connection until it ends. */
    void serve() {
        try (var buffer = pool.lease(READ_BYTES);
                var decoder = new RecordMarking.Decoder(pool, options.recordMax())) {
            receive(buffer.whole(), decoder);
            // The peer may have closed its side only; what it asked for is still answered.
            calls.acquire(options.callsPerConnectionMax());
        } catch (IOException | InterruptedException _) {
            // The connection is lost, or the server is closing: nobody to tell.
        } catch (RuntimeException | Error broken) {
            LOG.log(Level.ERROR, "a connection was closed by an internal error", broken);
        } finally {
            close();
        }
    }

    private void receive(MemorySegment buffer, RecordMarking.Decoder decoder)
            throws IOException, InterruptedException {
        var octets = buffer.asByteBuffer();
        while (true) {
            idle.start(System.nanoTime(), options.idleTimeout().toNanos());
            if (channel.read(octets.clear()) < 0) {
                return;
            }
            if (!take(buffer.asSlice(0, octets.position()), decoder)) {
                counters.connectionsBroken.increment();
                return;
            }
        }
    }

    /** Returns whether the stream makes sense so far. */
    private boolean take(MemorySegment octets, RecordMarking.Decoder decoder)
            throws InterruptedException {
        boolean goesOn = decoder.inRecord();
        long at = 0;
        while (true) {
            switch (decoder.take(octets.asSlice(at))) {
                case Step.More() -> {
                    if (!decoder.inRecord()) {
                        reading.stop();
                    } else if (!goesOn) {
                        // The whole record must come in time: drops do not count as progress.
                        reading.start(System.nanoTime(), options.stallTimeout().toNanos());
                    }
                    return true;
                }
                case Step.Complete(var taken, var received) -> {
                    reading.stop();
                    goesOn = false;
                    at += taken;
                    start(received);
                }
                case Step.Broken _ -> {
                    return false;
                }
            }
        }
    }

    private void start(ReceivedRecord received) throws InterruptedException {
        var header = RpcDispatcher.peek(received.message());
        if (header.isEmpty()) {
            received.close();
            counters.discarded.increment();
        } else if (dispatcher.runsOnReader(header.get())) {
            answer(received);
        } else {
            hand(received);
        }
    }

    /** Hands a call to a thread of its own, as soon as there may be another. */
    private void hand(ReceivedRecord received) throws InterruptedException {
        boolean handed = false;
        try {
            calls.acquire();
            try {
                serverCalls.acquire();
                try {
                    threads.execute(() -> answerAndRelease(received));
                    handed = true;
                } catch (RejectedExecutionException _) {
                    throw new InterruptedException("the server is closing");
                } finally {
                    if (!handed) {
                        serverCalls.release();
                    }
                }
            } finally {
                if (!handed) {
                    calls.release();
                }
            }
        } finally {
            if (!handed) {
                received.close();
            }
        }
    }

    private void answerAndRelease(ReceivedRecord received) {
        try {
            answer(received);
        } finally {
            idle.start(System.nanoTime(), options.idleTimeout().toNanos());
            serverCalls.release();
            calls.release();
        }
    }

    private void answer(ReceivedRecord received) {
        counters.calls.increment();
        try (received;
                var results = new XdrWriter(pool)) {
            var call = new XdrReader(received.message());
            if (dispatcher.dispatch(call, peer, pool, results)) {
                write(results);
                counters.replies.increment();
            }
        } catch (IOException | InterruptedException _) {
            // Without this reply the connection is of no use to the peer.
            close();
        } catch (RuntimeException | Error broken) {
            LOG.log(Level.ERROR, "a connection was closed by an internal error", broken);
            close();
        }
    }

    private void write(XdrWriter message) throws IOException {
        var write = new GatheringWrite(RecordMarking.encode(message));
        writing.lock();
        try {
            reply.start(System.nanoTime(), options.stallTimeout().toNanos());
            while (!write.writeTo(channel)) {}
        } finally {
            reply.stop();
            writing.unlock();
        }
    }

    /** Closes the connection if its peer keeps it waiting for too long. */
    void closeIfOverdue(long nowNanos) {
        boolean stalled = reading.isPast(nowNanos) || reply.isPast(nowNanos);
        boolean silent =
                idle.isPast(nowNanos)
                        && calls.availablePermits() == options.callsPerConnectionMax();
        if (stalled || silent) {
            counters.connectionsBroken.increment();
            close();
        }
    }

    /** Closes the connection. Closing twice is harmless. */
    void close() {
        reading.stop();
        reply.stop();
        idle.stop();
        try {
            channel.close();
        } catch (IOException _) {
            // It is closed all the same.
        }
    }
}
