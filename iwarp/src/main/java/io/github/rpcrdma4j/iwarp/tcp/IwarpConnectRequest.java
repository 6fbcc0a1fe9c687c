package io.github.rpcrdma4j.iwarp.tcp;

import io.github.rpcrdma4j.iwarp.mpa.MpaFrame;
import io.github.rpcrdma4j.iwarp.mpa.MpaNegotiation;
import io.github.rpcrdma4j.iwarp.mpa.MpaNegotiation.Answer;
import io.github.rpcrdma4j.verbs.ConnectRequest;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.RdmaException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicBoolean;

/** A whole MPA request that waits for its answer. */
final class IwarpConnectRequest implements ConnectRequest {
    private final SocketChannel channel;
    private final InetSocketAddress peer;
    private final MpaFrame frame;
    private final AtomicBoolean answered = new AtomicBoolean();

    IwarpConnectRequest(SocketChannel channel, InetSocketAddress peer, MpaFrame frame) {
        this.channel = channel;
        this.peer = peer;
        this.frame = frame;
    }

    @Override
    public InetSocketAddress peer() {
        return peer;
    }

    @Override
    public byte[] privateData() {
        return frame.privateData().clone();
    }

    @Override
    public void accept(QueuePair queuePair, byte[] privateData) throws RdmaException {
        var local = (IwarpQueuePair) queuePair;
        local.requireInitialized();
        answer();
        try {
            switch (MpaNegotiation.answer(frame, local.wanted(), privateData)) {
                case Answer.Accept(var reply, var agreed) -> {
                    write(reply);
                    local.start(channel, agreed, peer, false);
                }
                case Answer.Refuse(var reply, var why) -> {
                    write(reply);
                    throw new IOException(why);
                }
                case Answer.Drop(var why) -> throw new IOException(why);
            }
        } catch (IOException failure) {
            MpaConnect.closeQuietly(channel);
            throw new RdmaException.ConnectionLost(
                    "cannot accept " + MpaConnect.name(peer) + ": " + failure.getMessage(),
                    failure);
        }
    }

    @Override
    public void reject(byte[] privateData) {
        answer();
        try {
            write(MpaNegotiation.refusal(frame, privateData));
            channel.shutdownOutput();
        } catch (IOException _) {
            // The peer is gone already.
        }
        MpaConnect.closeQuietly(channel);
    }

    private void answer() {
        if (!answered.compareAndSet(false, true)) {
            throw new IllegalStateException("the request was answered before");
        }
    }

    /** A reply is far shorter than an empty send buffer: it goes out in one piece. */
    private void write(MpaFrame reply) throws IOException {
        var out = ByteBuffer.wrap(reply.encode());
        channel.write(out);
        if (out.hasRemaining()) {
            throw new IOException("the reply does not fit the socket");
        }
    }
}
