package io.github.rpcrdma4j.iwarp.tcp;

import io.github.rpcrdma4j.iwarp.mpa.MpaFrame;
import io.github.rpcrdma4j.iwarp.mpa.MpaNegotiation;
import io.github.rpcrdma4j.iwarp.mpa.MpaNegotiation.Agreed;
import io.github.rpcrdma4j.iwarp.mpa.MpaNegotiation.Conclusion;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.RdmaException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Sets up a connection from the active side, on the calling thread.
 *
 * <p>Tests: {@code HostileServerTest}.
 */
final class MpaConnect {
    /**
     * An established connection.
     *
     * @param privateData the private data of the peer
     */
    record Connected(TcpStream tcp, Agreed agreed, byte[] privateData) {}

    private final InetSocketAddress address;
    private final SocketChannel channel;
    private final Selector selector;
    private final Duration timeout;
    private final long deadline;

    /** Set when the TCP connection is established. */
    private TcpStream tcp;

    private MpaConnect(
            InetSocketAddress address, SocketChannel channel, Selector selector, Duration timeout) {
        this.address = address;
        this.channel = channel;
        this.selector = selector;
        this.timeout = timeout;
        this.deadline = System.nanoTime() + Timeouts.nanos(timeout);
    }

    /**
     * Checks the length of private data.
     *
     * @throws IllegalArgumentException if the private data does not fit
     */
    static void requireShort(byte[] privateData) {
        if (privateData.length > QueuePair.PRIVATE_DATA_MAX) {
            throw new IllegalArgumentException(
                    "the private data is longer than " + QueuePair.PRIVATE_DATA_MAX + " bytes");
        }
    }

    static Connected connect(
            InetSocketAddress address,
            MpaNegotiation.Requested requested,
            byte[] privateData,
            Duration timeout,
            IwarpTap tap)
            throws RdmaException, InterruptedException {
        if (address.isUnresolved()) {
            throw new RdmaException.Unreachable("unknown host " + address.getHostString(), null);
        }
        var request = MpaNegotiation.request(requested, privateData).encode();
        SocketChannel channel = null;
        MpaConnect setup = null;
        boolean done = false;
        try (var selector = Selector.open()) {
            channel = SocketChannel.open();
            TcpStream.prepare(channel);
            setup = new MpaConnect(address, channel, selector, timeout);
            setup.reach();
            setup.tcp = new TcpStream(channel, tap, true);
            var connected = setup.exchange(request, requested);
            done = true;
            return connected;
        } catch (RdmaException known) {
            throw known;
        } catch (IOException failure) {
            throw new RdmaException.Unreachable(
                    "cannot connect to "
                            + RdmaException.nameOf(address)
                            + ": "
                            + failure.getMessage(),
                    failure);
        } finally {
            if (!done && setup != null && setup.tcp != null) {
                setup.tcp.close();
            } else if (!done && channel != null) {
                TcpStream.closeQuietly(channel);
            }
        }
    }

    private void reach() throws IOException, InterruptedException {
        if (!channel.connect(address)) {
            await(SelectionKey.OP_CONNECT);
            channel.finishConnect();
        }
    }

    private Connected exchange(byte[] request, MpaNegotiation.Requested requested)
            throws IOException, InterruptedException {
        // The request is sent first, and nothing follows it before the reply (RFC 5044-7.1.2-1,
        // 5044-7.1.2-2). It leaves in one write, because some peers read it with two reads and
        // expect no gap.
        var out = ByteBuffer.wrap(request);
        while (out.hasRemaining()) {
            if (write(out) == 0) {
                await(SelectionKey.OP_WRITE);
            }
        }
        var reply = receive();
        return switch (MpaNegotiation.conclude(requested, reply)) {
            case Conclusion.Connected(var agreed, var privateData) ->
                    new Connected(tcp, agreed, privateData);
            case Conclusion.Rejected(var privateData) ->
                    throw new RdmaException.Rejected(
                            RdmaException.nameOf(address) + " refuses the connection", privateData);
            case Conclusion.Violation(var why) ->
                    throw new RdmaException.ProtocolViolation(
                            RdmaException.nameOf(address) + " breaks the iWARP protocol: " + why);
        };
    }

    private int write(ByteBuffer out) throws RdmaException {
        try {
            return tcp.outgoing().write(out);
        } catch (IOException _) {
            throw closed();
        }
    }

    private RdmaException closed() {
        return new RdmaException.ProtocolViolation(
                RdmaException.nameOf(address)
                        + " closed the connection during set-up: it does not speak iWARP,"
                        + " or refuses this client");
    }

    private MpaFrame receive() throws IOException, InterruptedException {
        byte[] bytes = new byte[MpaFrame.HEADER_BYTES + MpaFrame.DATA_MAX];
        int count = 0;
        // Never read past the end of the reply: the next bytes belong to the connection (RFC
        // 5044-7.1.2-7).
        int wanted = MpaFrame.HEADER_BYTES;
        while (true) {
            await(SelectionKey.OP_READ);
            int read;
            try {
                read = tcp.incoming().read(ByteBuffer.wrap(bytes, count, wanted - count));
            } catch (IOException reset) {
                read = -1;
            }
            if (read < 0) {
                throw closed();
            }
            count += read;
            switch (MpaFrame.decode(bytes, count)) {
                case MpaFrame.Decoded.Whole(var frame, _) -> {
                    return frame;
                }
                case MpaFrame.Decoded.Incomplete(var length) -> wanted = length;
                case MpaFrame.Decoded.Malformed(var why) ->
                        throw new RdmaException.ProtocolViolation(
                                RdmaException.nameOf(address) + " does not speak iWARP: " + why);
            }
        }
    }

    private void await(int operation) throws IOException, InterruptedException {
        var key = channel.register(selector, operation);
        long left = deadline - System.nanoTime();
        if (left > 0) {
            selector.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        // RFC 5044-7.1.2-6.
        boolean ready = !selector.selectedKeys().isEmpty();
        selector.selectedKeys().clear();
        key.cancel();
        selector.selectNow();
        if (!ready) {
            throw new RdmaException.TimedOut(
                    "no answer from "
                            + RdmaException.nameOf(address)
                            + " within the setup timeout of "
                            + timeout.toMillis()
                            + " ms");
        }
    }
}
