package io.github.rpcrdma4j.cli.crowd;

import io.github.rpcrdma4j.iwarp.mpa.MpaFrame;
import io.github.rpcrdma4j.iwarp.mpa.MpaNegotiation;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** One connection of a hostile crowd. It reconnects when the server ends it. Used by one thread. */
final class HostilePeer {
    /** The behavior of a peer. */
    enum Kind {
        /** Sets up an RDMA connection, and sends nothing. */
        SILENT,
        /** Requests data and receives none of it. */
        STALLED,
        /** Connects to the RDMA port, and does not set up a connection over RDMA. */
        HALF_OPEN,
        /** Connects to the TCP port, and sends nothing. */
        TCP
    }

    /** The state of a peer. */
    enum State {
        /** It has no connection. */
        CLOSED,
        /** It is connecting. */
        CONNECTING,
        /** Its connection is established as far as its kind wants. */
        ESTABLISHED
    }

    private static final MpaNegotiation.Requested REQUESTED =
            new MpaNegotiation.Requested(false, 16, 16);
    private static final int FEW_BYTES = 4096;

    private final Kind kind;
    private final InetAddress source;
    private final InetSocketAddress server;
    private final StalledReads reads;
    private final byte[] reply = new byte[MpaFrame.HEADER_BYTES + MpaFrame.DATA_MAX];
    private SocketChannel channel;
    private SelectionKey key;
    private State state = State.CLOSED;
    private int replied;
    private int callsMade;
    private long since;

    /**
     * Creates a peer without a connection.
     *
     * @param reads the calls of a stalled peer; null for other kinds
     */
    HostilePeer(Kind kind, InetAddress source, InetSocketAddress server, StalledReads reads) {
        this.kind = kind;
        this.source = source;
        this.server = server;
        this.reads = reads;
    }

    Kind kind() {
        return kind;
    }

    State state() {
        return state;
    }

    /** Returns when the peer began to connect, by {@link System#nanoTime}. */
    long since() {
        return since;
    }

    /** Begins to connect. */
    void connect(Selector selector) {
        since = System.nanoTime();
        state = State.CONNECTING;
        replied = 0;
        callsMade = 0;
        try {
            channel = SocketChannel.open();
            channel.configureBlocking(false);
            if (kind == Kind.STALLED) {
                channel.setOption(StandardSocketOptions.SO_RCVBUF, FEW_BYTES);
            }
            channel.bind(new InetSocketAddress(source, 0));
            boolean connected = channel.connect(server);
            key = channel.register(selector, SelectionKey.OP_CONNECT, this);
            if (connected) {
                connected();
            }
        } catch (IOException _) {
            close();
        }
    }

    /** Handles the ready operations of the socket. */
    void progress() {
        try {
            if (key.isConnectable() && channel.finishConnect()) {
                connected();
            } else if (key.isReadable()) {
                read();
            }
        } catch (IOException _) {
            close();
        }
    }

    private void connected() throws IOException {
        key.interestOps(SelectionKey.OP_READ);
        switch (kind) {
            case HALF_OPEN, TCP -> state = State.ESTABLISHED;
            case SILENT, STALLED -> write(MpaNegotiation.request(REQUESTED, new byte[0]).encode());
        }
    }

    private void read() throws IOException {
        int read = channel.read(ByteBuffer.wrap(reply, replied, reply.length - replied));
        if (read < 0) {
            throw new IOException("ended by the server");
        }
        replied += read;
        if (state == State.CONNECTING
                && MpaFrame.decode(reply, replied)
                        instanceof MpaFrame.Decoded.Whole(var frame, _)) {
            if (frame.rejected()) {
                throw new IOException("refused by the server");
            }
            state = State.ESTABLISHED;
            if (kind == Kind.STALLED) {
                key.interestOps(0);
                call(StalledReads.FIRST);
            }
        }
    }

    /** Makes one more call if the peer is stalled. The attempt also detects an ended connection. */
    void callAgain() {
        if (kind == Kind.STALLED && state == State.ESTABLISHED && callsMade < StalledReads.MOST) {
            try {
                call(1);
            } catch (IOException _) {
                close();
            }
        }
    }

    private void call(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            write(reads.call(++callsMade));
        }
    }

    /** Writes bytes, all of which must fit into the socket's buffer. */
    private void write(byte[] bytes) throws IOException {
        var out = ByteBuffer.wrap(bytes);
        channel.write(out);
        if (out.hasRemaining()) {
            throw new IOException("the server takes nothing");
        }
    }

    /** Closes the connection. */
    void close() {
        state = State.CLOSED;
        try {
            channel.close();
        } catch (IOException _) {
            // The connection is useless either way.
        }
    }
}
