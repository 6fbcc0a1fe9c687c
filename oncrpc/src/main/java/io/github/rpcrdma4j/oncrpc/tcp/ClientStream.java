package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.record.ReceivedRecord;
import io.github.rpcrdma4j.oncrpc.record.RecordMarking;
import io.github.rpcrdma4j.oncrpc.record.RecordMarking.Step;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A connection of a client. Its channel is non-blocking, because an interrupt of a thread in a
 * blocking channel closes the channel, and one caller must not close the connection of the others.
 * Each caller writes its own call, one at a time. One thread reads all replies.
 */
final class ClientStream {
    private static final Logger LOG = System.getLogger(ClientStream.class.getName());
    private static final long READ_BYTES = 64 << 10;
    private static final long POOL_BYTES = 16L << 20;

    private final String server;
    private final SocketChannel channel;
    private final Selector readable;
    private final Selector writable;
    private final SegmentPool pool = new SegmentPool(POOL_BYTES);
    private final ConcurrentHashMap<Integer, PendingReply> calls = new ConcurrentHashMap<>();
    private final AtomicInteger lastXid = new AtomicInteger(ThreadLocalRandom.current().nextInt());
    private final AtomicReference<String> lossReason = new AtomicReference<>();
    private final ReentrantLock writing = new ReentrantLock();
    private final Thread reader =
            Thread.ofPlatform().daemon().name("rpc-tcp-read").unstarted(this::read);

    private ClientStream(
            String server, SocketChannel channel, Selector readable, Selector writable) {
        this.server = server;
        this.channel = channel;
        this.readable = readable;
        this.writable = writable;
    }

    static ClientStream open(InetSocketAddress server, long timeoutNanos)
            throws RpcException, InterruptedException {
        if (server.isUnresolved()) {
            throw new RpcException.Unreachable("unknown host " + server.getHostString(), null);
        }
        return open(server, HostPort.text(server), timeoutNanos);
    }

    static ClientStream open(UnixDomainSocketAddress server, long timeoutNanos)
            throws RpcException, InterruptedException {
        return open(server, server.toString(), timeoutNanos);
    }

    private static ClientStream open(SocketAddress server, String name, long timeoutNanos)
            throws RpcException, InterruptedException {
        try {
            return connect(server, name, System.nanoTime() + timeoutNanos);
        } catch (RpcException already) {
            throw already;
        } catch (IOException failure) {
            throw new RpcException.Unreachable(
                    "cannot connect to " + name + ": " + failure.getMessage(), failure);
        }
    }

    private static SocketChannel channelTo(SocketAddress server) throws IOException {
        if (server instanceof UnixDomainSocketAddress) {
            return SocketChannel.open(StandardProtocolFamily.UNIX);
        }
        var channel = SocketChannel.open();
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            return channel;
        } catch (IOException failure) {
            channel.close();
            throw failure;
        }
    }

    private static ClientStream connect(SocketAddress server, String name, long deadline)
            throws IOException, InterruptedException {
        var channel = channelTo(server);
        Selector readable = null;
        Selector writable = null;
        boolean connected = false;
        try {
            channel.configureBlocking(false);
            readable = Selector.open();
            writable = Selector.open();
            var key = channel.register(readable, SelectionKey.OP_CONNECT);
            channel.connect(server);
            while (!channel.finishConnect()) {
                if (!await(readable, deadline)) {
                    throw new RpcException.Unreachable(
                            "cannot connect to " + name + ": no answer in time", null);
                }
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
            key.interestOps(SelectionKey.OP_READ);
            channel.register(writable, SelectionKey.OP_WRITE);
            var stream = new ClientStream(name, channel, readable, writable);
            stream.reader.start();
            connected = true;
            return stream;
        } finally {
            if (!connected) {
                closeAll(channel, readable, writable);
            }
        }
    }

    /**
     * Waits for the selector, at most until the deadline. Returns false if the deadline had already
     * passed. An interrupt ends the wait, and the interrupt status stays set.
     */
    private static boolean await(Selector selector, long deadline) throws IOException {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
            return false;
        }
        selector.select(TimeUnit.NANOSECONDS.toMillis(left) + 1);
        selector.selectedKeys().clear();
        return true;
    }

    SegmentPool pool() {
        return pool;
    }

    /**
     * Checks that the client accepts the longest reply to a call.
     *
     * @throws IllegalArgumentException if that reply may be too long
     */
    static void requireAcceptedReply(RpcCall call, CallProtection protection) {
        long results = call.resultsMax();
        for (var target : call.resultTargets()) {
            results += XdrWriter.roundUp(target.byteSize());
        }
        long reply =
                ReplyHeader.ACCEPTED_BYTES
                        + protection.replyVerifierMax()
                        + protection.wrappedMax(results);
        if (reply > TcpRpcClient.REPLY_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "the reply may have "
                            + reply
                            + " bytes, and a TCP client accepts "
                            + TcpRpcClient.REPLY_BYTES_MAX);
        }
    }

    /**
     * Registers a call for the reader.
     *
     * @param wanted the XID of the call, if the caller chose one
     * @return the XID of the call
     * @throws RpcException if the connection is lost
     * @throws IllegalArgumentException if another call has that XID
     */
    int register(OptionalInt wanted, PendingReply pending) throws RpcException {
        int xid = wanted.orElseGet(lastXid::incrementAndGet);
        while (calls.putIfAbsent(xid, pending) != null) {
            if (wanted.isPresent()) {
                throw new IllegalArgumentException("another call has that XID");
            }
            xid = lastXid.incrementAndGet();
        }
        var reason = lossReason.get();
        if (reason != null) {
            calls.remove(xid);
            throw connectionLost(reason);
        }
        return xid;
    }

    /**
     * Unregisters a call that has not taken its reply. A reply that has arrived or arrives later is
     * dropped.
     */
    void abandon(int xid, PendingReply pending) {
        calls.remove(xid, pending);
        pending.abandon();
    }

    RpcException.ConnectionLost connectionLost(String reason) {
        return new RpcException.ConnectionLost(
                "the connection to " + server + " was lost: " + reason, null);
    }

    RpcException.TimedOut timedOut() {
        return new RpcException.TimedOut("no reply from " + server + " within the deadline");
    }

    /**
     * Sends a call message as a whole. If it is sent in part only, the connection is lost.
     *
     * @throws InterruptedException if the thread is interrupted while it waits for its turn;
     *     nothing was sent
     * @throws IllegalStateException if memory of the call was closed
     */
    void send(XdrWriter message, long deadline) throws RpcException, InterruptedException {
        var write = new GatheringWrite(RecordMarking.encode(message));
        if (!writing.tryLock(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
            throw timedOut();
        }
        boolean interrupted = false;
        try {
            while (!write.writeTo(channel)) {
                // The selector does not wait while the interrupt status is set.
                interrupted |= Thread.interrupted();
                if (!await(writable, deadline)) {
                    lose("a message could not be sent within its deadline");
                    throw timedOut();
                }
            }
        } catch (RpcException already) {
            throw already;
        } catch (IOException failure) {
            lose(failure.getMessage());
            throw connectionLost(lossReason.get());
        } catch (RuntimeException | Error broken) {
            if (write.isBegun()) {
                // The server would read the next call as the rest of this one.
                lose("a message could not be sent as a whole: " + broken);
            }
            throw broken;
        } finally {
            writing.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void read() {
        try (var buffer = pool.lease(READ_BYTES);
                var decoder = new RecordMarking.Decoder(pool, TcpRpcClient.REPLY_BYTES_MAX)) {
            receive(buffer.whole(), decoder);
        } catch (IOException failure) {
            lose(failure.getMessage());
        } catch (RuntimeException | Error broken) {
            LOG.log(Level.ERROR, "a connection was closed by an internal error", broken);
            lose("internal error: " + broken);
        } finally {
            closeSelectors();
        }
    }

    private void receive(MemorySegment buffer, RecordMarking.Decoder decoder) throws IOException {
        var bytes = buffer.asByteBuffer();
        while (lossReason.get() == null) {
            int count = channel.read(bytes.clear());
            if (count < 0) {
                lose("the server closed it");
            } else if (count == 0) {
                readable.select();
                readable.selectedKeys().clear();
            } else {
                take(buffer.asSlice(0, count), decoder);
            }
        }
    }

    private void take(MemorySegment bytes, RecordMarking.Decoder decoder) {
        long at = 0;
        while (at < bytes.byteSize()) {
            switch (decoder.take(bytes.asSlice(at))) {
                case Step.More() -> {
                    return;
                }
                case Step.Complete(var taken, var received) -> {
                    at += taken;
                    deliver(received);
                }
                case Step.Broken(var why) -> {
                    lose("the server's replies are malformed: " + why);
                    return;
                }
            }
        }
    }

    /** Delivers a reply to its caller. A reply without a waiting caller is dropped. */
    private void deliver(ReceivedRecord received) {
        var pending = pendingOf(received.message());
        if (pending == null || !pending.answer(new PendingReply.Answer.Arrived(received))) {
            received.close();
        }
    }

    private PendingReply pendingOf(MemorySegment message) {
        try {
            var in = new XdrReader(message);
            int xid = in.uint32();
            return in.uint32() == ReplyHeader.REPLY ? calls.remove(xid) : null;
        } catch (XdrException _) {
            return null;
        }
    }

    private void lose(String reason) {
        if (!lossReason.compareAndSet(null, reason == null ? "unknown reason" : reason)) {
            return;
        }
        closeAll(channel);
        readable.wakeup();
        writable.wakeup();
        for (int xid : calls.keySet()) {
            var pending = calls.remove(xid);
            if (pending != null) {
                pending.answer(new PendingReply.Answer.Lost(lossReason.get()));
            }
        }
    }

    private void closeSelectors() {
        writing.lock();
        try {
            closeAll(readable, writable);
        } finally {
            writing.unlock();
        }
    }

    /** Closes the connection and waits for its reader. Closing twice is harmless. */
    void close() {
        lose("closed on this side");
        CallThreads.awaitEnd(reader);
    }

    private static void closeAll(AutoCloseable... all) {
        for (var each : all) {
            try {
                if (each != null) {
                    each.close();
                }
            } catch (Exception _) {
                // It is closed nevertheless.
            }
        }
    }
}
