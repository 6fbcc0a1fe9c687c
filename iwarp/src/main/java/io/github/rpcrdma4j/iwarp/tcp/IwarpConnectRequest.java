package io.github.rpcrdma4j.iwarp.tcp;

import io.github.rpcrdma4j.iwarp.mpa.MpaFrame;
import io.github.rpcrdma4j.iwarp.mpa.MpaNegotiation;
import io.github.rpcrdma4j.verbs.ConnectRequest;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.RdmaException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** A complete MPA request that waits for an answer. */
final class IwarpConnectRequest implements ConnectRequest {
    private final TcpStream tcp;
    private final InetSocketAddress peer;
    private final Optional<Object> identity;
    private final MpaFrame frame;
    private final AtomicBoolean answered = new AtomicBoolean();

    IwarpConnectRequest(HalfOpenConnection connection, MpaFrame frame) {
        this.tcp = connection.tcp();
        this.peer = connection.peer();
        this.identity = connection.identity();
        this.frame = frame;
    }

    @Override
    public InetSocketAddress peer() {
        return peer;
    }

    @Override
    public Optional<Object> identity() {
        return identity;
    }

    /** RFC 5044-7.1.4-1. */
    @Override
    public byte[] privateData() {
        return frame.privateData().clone();
    }

    @Override
    public void accept(QueuePair queuePair, byte[] privateData) throws RdmaException {
        var local = (IwarpQueuePair) queuePair;
        local.requireInitialized();
        MpaConnect.requireShort(privateData);
        answer();
        boolean isStarted = false;
        try {
            var requested = local.requested(peer, identity);
            var accepted = MpaNegotiation.accept(frame, requested, privateData);
            write(tcp, accepted.reply());
            local.start(tcp, accepted.agreed(), peer, identity, false);
            isStarted = true;
        } catch (IOException failure) {
            throw new RdmaException.ConnectionLost(
                    "cannot accept " + RdmaException.nameOf(peer) + ": " + failure.getMessage(),
                    failure);
        } finally {
            if (!isStarted) {
                tcp.close();
            }
        }
    }

    @Override
    public void reject(byte[] privateData) {
        MpaConnect.requireShort(privateData);
        answer();
        refuse(tcp, MpaNegotiation.refusal(frame, privateData));
    }

    /** Closes the connection of an unanswered request, because the listener is closed. */
    void drop() {
        if (answered.compareAndSet(false, true)) {
            tcp.close();
        }
    }

    /** Sends a refusal and closes the connection. */
    static void refuse(TcpStream tcp, MpaFrame refusal) {
        try {
            write(tcp, refusal);
            tcp.channel().shutdownOutput();
        } catch (IOException _) {
            // The connection is already lost.
        }
        tcp.close();
    }

    private void answer() {
        if (!answered.compareAndSet(false, true)) {
            throw new IllegalStateException("the request was answered before");
        }
    }

    /**
     * Writes the reply with one call. It fits, because it is far shorter than an empty send buffer.
     */
    private static void write(TcpStream tcp, MpaFrame reply) throws IOException {
        var out = ByteBuffer.wrap(reply.encode());
        tcp.outgoing().write(out);
        if (out.hasRemaining()) {
            throw new IOException("the reply does not fit the socket");
        }
    }
}
