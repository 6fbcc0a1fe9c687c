package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.memory.AwaitedMemory;
import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.oncrpc.record.ReceivedRecord;
import io.github.rpcrdma4j.oncrpc.record.RecordMarking;
import io.github.rpcrdma4j.oncrpc.record.RecordMarking.Step;
import io.github.rpcrdma4j.oncrpc.spi.CallMessage;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import io.github.rpcrdma4j.oncrpc.spi.ReplyReceiver;
import io.github.rpcrdma4j.oncrpc.spi.UnclosedReplies;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A connection of a client. Its channel is non-blocking, because an interrupt of a thread in a
 * blocking channel closes the channel, and one caller must not close the connection of the others.
 * Each caller writes its own call, one at a time. One thread reads all replies.
 *
 * <p>Tests: {@code TcpRpcClientTest}, {@code BegunCallsTest}.
 */
final class ClientStream implements CallStream {
    private static final Logger LOG = System.getLogger(ClientStream.class.getName());
    private static final long READ_BYTES = 64 << 10;
    private static final long POOL_BYTES = 16L << 20;

    private final SocketChannel channel;
    private final Selector readable;
    private final Selector writable;
    private final SegmentPool pool = new SegmentPool(POOL_BYTES);
    private final SentCalls sent;
    private final long recordMax;

    /** Tells when begun calls are late. */
    private final LongSupplier clock;

    /** Runs the calls of the server; null if this client serves no programs. */
    private final CallBacks callBacks;

    /** The turn to write. A thread may finish the message of another one. */
    private final Semaphore writing = new Semaphore(1);

    private final Thread reader =
            Thread.ofPlatform().daemon().name("rpc-tcp-read").unstarted(this::read);

    /** What a connection keeps of its settings, once it is there. */
    private record Settings(
            Optional<CallBacks.Service> programs, long recordMax, LongSupplier clock) {}

    private ClientStream(
            String server,
            SocketChannel channel,
            Selector readable,
            Selector writable,
            Settings settings) {
        this.sent = new SentCalls(server);
        this.recordMax = settings.recordMax();
        this.clock = settings.clock();
        this.callBacks = settings.programs().map(each -> new CallBacks(this, each)).orElse(null);
        this.channel = channel;
        this.readable = readable;
        this.writable = writable;
    }

    /**
     * @param programs the programs that the server may call on this connection
     */
    static ClientStream open(
            InetSocketAddress server,
            Optional<CallBacks.Service> programs,
            TcpClientOptions options)
            throws RpcException, InterruptedException {
        return open(server, programs, options, System::nanoTime);
    }

    /**
     * @param clock tells when begun calls are late
     */
    static ClientStream open(
            InetSocketAddress server,
            Optional<CallBacks.Service> programs,
            TcpClientOptions options,
            LongSupplier clock)
            throws RpcException, InterruptedException {
        if (server.isUnresolved()) {
            throw new RpcException.Unreachable("unknown host " + server.getHostString(), null);
        }
        return open(
                server,
                HostPort.text(server),
                new Settings(programs, options.recordMax(), clock),
                options);
    }

    static ClientStream open(UnixDomainSocketAddress server, TcpClientOptions options)
            throws RpcException, InterruptedException {
        return open(
                server,
                server.toString(),
                new Settings(Optional.empty(), options.recordMax(), System::nanoTime),
                options);
    }

    private static ClientStream open(
            SocketAddress server, String name, Settings settings, TcpClientOptions options)
            throws RpcException, InterruptedException {
        try {
            return connect(server, name, settings, options);
        } catch (RpcException already) {
            throw already;
        } catch (IOException failure) {
            throw new RpcException.Unreachable(
                    "cannot connect to " + name + ": " + failure.getMessage(), failure);
        }
    }

    /** Connects, from a privileged port if the options want one. */
    private static ClientStream connect(
            SocketAddress server, String name, Settings settings, TcpClientOptions options)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + Timeouts.nanos(options.connectTimeout());
        for (int port : PrivilegedPorts.toTry(options.portSeed())) {
            var channel = ClientSocket.to(server);
            try {
                PrivilegedPorts.bind(channel, options.from(), port);
            } catch (IOException _) {
                // Another connection has that port.
                channel.close();
                continue;
            }
            try {
                return connect(channel, server, name, settings, deadline);
            } catch (BindException _) {
                // The port is free, but an earlier connection from it to the server is not over.
            }
        }
        if (options.portSeed().isPresent()) {
            throw new BindException("no port below 1024 can be had");
        }
        return connect(ClientSocket.to(server, options.from()), server, name, settings, deadline);
    }

    private static ClientStream connect(
            SocketChannel channel,
            SocketAddress server,
            String name,
            Settings settings,
            long deadline)
            throws IOException, InterruptedException {
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
            var stream = new ClientStream(name, channel, readable, writable, settings);
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

    @Override
    public SentCalls sent() {
        return sent;
    }

    @Override
    public SegmentPool pool() {
        return pool;
    }

    @Override
    public void send(XdrWriter message, CallDeadline deadline)
            throws RpcException, InterruptedException {
        var write = new GatheringWrite(RecordMarking.encode(message));
        if (!writing.tryAcquire(deadline.left(System.nanoTime()), TimeUnit.NANOSECONDS)) {
            throw sent.timedOut(deadline.timeout());
        }
        try {
            finish(write, deadline);
        } finally {
            writing.release();
        }
    }

    /** Writes the rest of a message. This thread has the turn to write. */
    private void finish(GatheringWrite write, CallDeadline deadline) throws RpcException {
        boolean interrupted = false;
        try {
            while (!write.writeTo(channel)) {
                // The selector does not wait while the interrupt status is set.
                interrupted |= Thread.interrupted();
                if (!await(writable, deadline.at())) {
                    lose("a message could not be sent within its deadline");
                    throw sent.timedOut(deadline.timeout());
                }
            }
        } catch (RpcException already) {
            throw already;
        } catch (IOException failure) {
            lose(failure.getMessage());
            throw sent.connectionLost();
        } catch (RuntimeException | Error broken) {
            if (write.isBegun()) {
                // The server would read the next call as the rest of this one.
                lose("a message could not be sent as a whole: " + broken);
            }
            throw broken;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Begins a call as {@link TcpRpcClient#begin} says. */
    boolean begin(
            RpcCall call, CallProtection protection, Duration timeout, ReplyReceiver receiver) {
        CallStream.requireAcceptedReply(call, protection);
        var deadline = CallDeadline.of(timeout, clock.getAsLong());
        var message = new XdrWriter(pool);
        var begun = new BegunCall(sent, call, protection, message, deadline, receiver);
        boolean isBegun = false;
        try {
            int xid = sent.register(call.xid(), begun);
            begun.xid(xid);
            try {
                CallMessage.encode(message, call, xid, protection, pool);
                isBegun = begin(new GatheringWrite(RecordMarking.encode(message)), begun);
            } finally {
                if (!isBegun) {
                    sent.forget(xid, begun);
                }
            }
        } catch (RpcException _) {
            // The caller learns it when it makes the call.
            return false;
        } finally {
            if (!isBegun) {
                begun.abandon();
            }
        }
        if (sent.watch(deadline.at())) {
            readable.wakeup();
        }
        return isBegun;
    }

    /** Writes as much of a message as the socket accepts. Returns false if it accepts nothing. */
    private boolean begin(GatheringWrite write, BegunCall begun) {
        if (!writing.tryAcquire()) {
            return false;
        }
        boolean isLeft = false;
        try {
            isLeft = !write.writeTo(channel);
        } catch (IOException failure) {
            lose(failure.getMessage());
        } finally {
            if (!isLeft || !write.isBegun()) {
                writing.release();
            }
        }
        if (!isLeft) {
            written(begun);
        } else if (write.isBegun()) {
            Thread.startVirtualThread(() -> finish(write, begun));
        }
        return !isLeft || write.isBegun();
    }

    private void finish(GatheringWrite write, BegunCall begun) {
        try {
            finish(write, begun.deadline());
        } catch (RpcException _) {
            // The connection is lost, and the call has that answer.
        } finally {
            writing.release();
            written(begun);
        }
    }

    /** Ends a call that was answered while this thread wrote it. */
    private void written(BegunCall begun) {
        try {
            begun.written();
        } catch (RuntimeException | Error broken) {
            failed(broken);
        }
    }

    private void failed(Throwable broken) {
        LOG.log(Level.ERROR, "a connection was closed by an internal error", broken);
        lose("internal error: " + broken);
    }

    private void read() {
        try (var buffer = pool.lease(READ_BYTES);
                var decoder = new RecordMarking.Decoder(this::lease, recordMax)) {
            receive(buffer.whole(), decoder);
        } catch (IOException failure) {
            lose(failure.getMessage());
        } catch (BudgetExhaustedException none) {
            var explained = UnclosedReplies.explain(none, pool);
            lose("there is no memory for a reply: " + explained.getMessage());
        } catch (RuntimeException | Error broken) {
            failed(broken);
        } finally {
            closeSelectors();
        }
    }

    /** Leases memory for a message, after a wait if there is none. */
    private SegmentPool.Lease lease(long bytes) {
        try {
            return AwaitedMemory.await(
                    () -> pool.lease(bytes), () -> sent.lossReason().isPresent());
        } catch (InterruptedException _) {
            throw new IllegalStateException("a reading thread was interrupted");
        }
    }

    /** Returns the port from which the connection comes; 0 if it has none. */
    int localPort() {
        try {
            return channel.getLocalAddress() instanceof InetSocketAddress local
                    ? local.getPort()
                    : 0;
        } catch (IOException _) {
            return 0;
        }
    }

    private void receive(MemorySegment buffer, RecordMarking.Decoder decoder) throws IOException {
        var bytes = buffer.asByteBuffer();
        while (sent.lossReason().isEmpty()) {
            int count = channel.read(bytes.clear());
            if (count < 0) {
                lose("the server closed it");
            } else if (count == 0) {
                awaitReadable();
            } else {
                take(buffer.asSlice(0, count), decoder);
            }
            // Bytes that keep arriving must not hold up the deadlines.
            sent.expire(clock.getAsLong());
        }
    }

    /** Waits for bytes, or until a begun call may be late. */
    private void awaitReadable() throws IOException {
        long left = sent.nanosUntilLate(clock.getAsLong());
        // The selector waits without limit for 0.
        readable.select(left == Long.MAX_VALUE ? 0 : TimeUnit.NANOSECONDS.toMillis(left) + 1);
        readable.selectedKeys().clear();
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
                case Step.Broken(var why, _) -> {
                    lose("the server's replies are malformed: " + why);
                    return;
                }
            }
        }
    }

    /**
     * Delivers a reply to its caller, and passes a call of the server to its program. Other
     * messages are dropped.
     */
    private void deliver(ReceivedRecord received) {
        boolean isTaken =
                switch (MessageStart.of(received.message())) {
                    case MessageStart.Reply(int xid) -> sent.deliver(xid, received);
                    case MessageStart.Call(var header, var arguments) ->
                            callBacks != null && callBacks.run(header, received, arguments);
                    case MessageStart.Neither _ -> false;
                };
        if (!isTaken) {
            received.close();
        }
    }

    /** Ends the connection. Its calls fail. Only the first reason counts. */
    void lose(String reason) {
        if (!sent.lose(reason)) {
            return;
        }
        closeAll(channel);
        readable.wakeup();
        writable.wakeup();
        try {
            sent.failAll();
        } finally {
            if (callBacks != null) {
                callBacks.stop();
            }
        }
    }

    private void closeSelectors() {
        writing.acquireUninterruptibly();
        try {
            closeAll(readable, writable);
        } finally {
            writing.release();
        }
    }

    /** Closes the connection and waits for its reader. Closing twice is harmless. */
    void close() {
        lose("closed on this side");
        CallThreads.awaitEnd(reader);
        if (callBacks != null) {
            callBacks.close();
        }
        UnclosedReplies.end(pool, sent.peer());
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
