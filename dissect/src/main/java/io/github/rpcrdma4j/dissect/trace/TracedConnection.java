package io.github.rpcrdma4j.dissect.trace;

import io.github.rpcrdma4j.capture.Endpoint;
import io.github.rpcrdma4j.capture.TcpSegment;
import io.github.rpcrdma4j.iwarp.observe.FrameReader;
import io.github.rpcrdma4j.iwarp.observe.FrameReader.Frame;
import io.github.rpcrdma4j.iwarp.tcp.IwarpTap;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * One connection of a trace. It cuts the bytes into frames and writes each frame as one TCP
 * segment, or as two if the frame is too long for an IP packet. Guarded by the lock of the file.
 */
final class TracedConnection implements IwarpTap.Wire {
    private static final byte[] MAPPED_PREFIX = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1};
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /** One direction of the connection. */
    private static final class Half {
        private final Endpoint from;
        private final FrameReader frames = new FrameReader(true);
        private int sequence;
        private boolean broken;

        private Half(Endpoint from) {
            this.from = from;
        }
    }

    private final TraceFile file;
    private final Half local;
    private final Half remote;
    private boolean closed;

    TracedConnection(
            TraceFile file, InetSocketAddress here, InetSocketAddress there, boolean initiator) {
        this.file = file;
        boolean v4 =
                here.getAddress() instanceof Inet4Address
                        && there.getAddress() instanceof Inet4Address;
        local = new Half(end(here, v4));
        remote = new Half(end(there, v4));
        file.lock().lock();
        try {
            var client = initiator ? local : remote;
            segment(client, TcpSegment.SYN, NOTHING);
            segment(other(client), TcpSegment.SYN | TcpSegment.ACK, NOTHING);
            segment(client, TcpSegment.ACK, NOTHING);
        } finally {
            file.lock().unlock();
        }
    }

    private static Endpoint end(InetSocketAddress address, boolean v4) {
        byte[] bytes = address.getAddress().getAddress();
        if (v4 || bytes.length > Integer.BYTES) {
            return Endpoint.of(bytes, address.getPort());
        }
        var mapped = ByteBuffer.allocate(MAPPED_PREFIX.length + Integer.BYTES);
        return Endpoint.of(mapped.put(MAPPED_PREFIX).put(bytes).array(), address.getPort());
    }

    private Half other(Half half) {
        return half == local ? remote : local;
    }

    @Override
    public void sent(ByteBuffer bytes) {
        carried(local, bytes);
    }

    @Override
    public void received(ByteBuffer bytes) {
        carried(remote, bytes);
    }

    private void carried(Half half, ByteBuffer bytes) {
        file.lock().lock();
        try {
            if (closed) {
                return;
            }
            half.frames.add(bytes);
            while (!half.broken) {
                switch (half.frames.next()) {
                    case null -> {
                        return;
                    }
                    case Frame.SetUp(_, var whole) -> write(half, ByteBuffer.wrap(whole));
                    case Frame.Data(var fpdu) -> write(half, fpdu.bytes());
                    case Frame.Broken _ -> half.broken = true;
                }
            }
            write(half, ByteBuffer.wrap(half.frames.takePending()));
        } finally {
            file.lock().unlock();
        }
    }

    private void write(Half half, ByteBuffer bytes) {
        for (int at = 0; at < bytes.limit(); at += TcpSegment.ENCODED_MAX) {
            int count = Math.min(bytes.limit() - at, TcpSegment.ENCODED_MAX);
            segment(half, TcpSegment.PSH | TcpSegment.ACK, bytes.slice(at, count));
        }
    }

    private void segment(Half half, int flags, ByteBuffer payload) {
        var to = other(half);
        boolean first = flags == TcpSegment.SYN;
        int bytes = payload.remaining();
        file.write(
                new TcpSegment(
                                half.from,
                                to.from,
                                half.sequence,
                                first ? 0 : to.sequence,
                                flags,
                                bytes,
                                payload)
                        .encode());
        boolean counts = (flags & (TcpSegment.SYN | TcpSegment.FIN)) != 0;
        half.sequence += bytes + (counts ? 1 : 0);
    }

    @Override
    public void closed() {
        file.lock().lock();
        try {
            if (!closed) {
                closed = true;
                for (var half : new Half[] {local, remote}) {
                    write(half, ByteBuffer.wrap(half.frames.takePending()));
                    segment(half, TcpSegment.FIN | TcpSegment.ACK, NOTHING);
                }
            }
        } finally {
            file.lock().unlock();
        }
    }
}
