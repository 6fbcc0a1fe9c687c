package io.github.rpcrdma4j.iwarp.tcp;

import io.github.rpcrdma4j.iwarp.mpa.MpaFrame;
import io.github.rpcrdma4j.iwarp.mpa.MpaNegotiation;
import io.github.rpcrdma4j.verbs.ConnectRequest;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.RdmaException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;

/** A whole MPA request that waits for its answer. */
final class IwarpConnectRequest implements ConnectRequest {
    private final Carrier carrier;
    private final InetSocketAddress peer;
    private final MpaFrame frame;
    private final AtomicBoolean answered = new AtomicBoolean();

    IwarpConnectRequest(Carrier carrier, InetSocketAddress peer, MpaFrame frame) {
        this.carrier = carrier;
        this.peer = peer;
        this.frame = frame;
    }

    @Override
    public InetSocketAddress peer() {
        return peer;
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
        var accepted = MpaNegotiation.accept(frame, local.wanted(peer), privateData);
        try {
            write(carrier, accepted.reply());
            local.start(carrier, accepted.agreed(), peer, false);
        } catch (IOException failure) {
            carrier.close();
            throw new RdmaException.ConnectionLost(
                    "cannot accept " + MpaConnect.name(peer) + ": " + failure.getMessage(),
                    failure);
        }
    }

    @Override
    public void reject(byte[] privateData) {
        MpaConnect.requireShort(privateData);
        answer();
        refuse(carrier, MpaNegotiation.refusal(frame, privateData));
    }

    /** The listener is closed: whoever has not answered need not do so any more. */
    void drop() {
        if (answered.compareAndSet(false, true)) {
            carrier.close();
        }
    }

    /** Says no and closes. */
    static void refuse(Carrier carrier, MpaFrame refusal) {
        try {
            write(carrier, refusal);
            carrier.channel().shutdownOutput();
        } catch (IOException _) {
            // The peer is gone already.
        }
        carrier.close();
    }

    private void answer() {
        if (!answered.compareAndSet(false, true)) {
            throw new IllegalStateException("the request was answered before");
        }
    }

    /** A reply is far shorter than an empty send buffer: it goes out in one piece. */
    private static void write(Carrier carrier, MpaFrame reply) throws IOException {
        var out = ByteBuffer.wrap(reply.encode());
        carrier.outgoing().write(out);
        if (out.hasRemaining()) {
            throw new IOException("the reply does not fit the socket");
        }
    }
}
