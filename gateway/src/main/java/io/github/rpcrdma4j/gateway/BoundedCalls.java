package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.RpcTransport;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * A connection to a server whose calls need room at the gateway, from before they are sent until
 * their replies are closed. A call that finds no room waits, and so does one that finds no memory.
 * Thread-safe.
 *
 * @param target makes the calls
 * @param share the room for calls of the client's connection
 */
record BoundedCalls(RpcTransport target, CallRoom.Share share) implements RpcTransport {
    /** The longest header of a reply, rounded up. */
    static final long HEADER_BYTES = 1024;

    /** How long a call waits for memory. By then, servers have closed stalled connections. */
    private static final long MEMORY_NANOS = Duration.ofSeconds(40).toNanos();

    private static final long MEMORY_TURN_NANOS = Duration.ofMillis(5).toNanos();

    @Override
    public RpcReply call(RpcCall call, CallProtection protection, Duration timeout)
            throws RpcException, InterruptedException {
        long bytes = HEADER_BYTES + call.resultsMax();
        for (var each : call.resultTargets()) {
            bytes += each.byteSize();
        }
        if (!share.take(bytes)) {
            throw new RpcException.ConnectionLost("the client has gone", null);
        }
        RpcReply reply = null;
        try {
            reply = new RoomyReply(withMemory(call, protection, timeout), share, bytes);
            return reply;
        } finally {
            if (reply == null) {
                share.give(bytes);
            }
        }
    }

    /** Makes a call, after a wait if there is no memory for it: nothing was sent then. */
    private RpcReply withMemory(RpcCall call, CallProtection protection, Duration timeout)
            throws RpcException, InterruptedException {
        long deadline = System.nanoTime() + MEMORY_NANOS;
        while (true) {
            try {
                return target.call(call, protection, timeout);
            } catch (BudgetExhaustedException none) {
                if (System.nanoTime() - deadline >= 0 || share.isEnded()) {
                    throw none;
                }
                LockSupport.parkNanos(MEMORY_TURN_NANOS);
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
        }
    }

    @Override
    public long resultsMax() {
        return target.resultsMax();
    }

    @Override
    public boolean placesResults() {
        return target.placesResults();
    }

    @Override
    public void close() {
        target.close();
    }

    /** A reply that has room until it is closed. */
    private static final class RoomyReply implements RpcReply {
        private final RpcReply reply;
        private final CallRoom.Share share;
        private final long bytes;
        private final AtomicBoolean isClosed = new AtomicBoolean();

        RoomyReply(RpcReply reply, CallRoom.Share share, long bytes) {
            this.reply = reply;
            this.share = share;
            this.bytes = bytes;
        }

        @Override
        public XdrReader results() {
            return reply.results();
        }

        @Override
        public void close() {
            if (isClosed.compareAndSet(false, true)) {
                reply.close();
                share.give(bytes);
            }
        }
    }
}
