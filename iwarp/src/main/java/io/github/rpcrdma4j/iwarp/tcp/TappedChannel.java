package io.github.rpcrdma4j.iwarp.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * A socket whose bytes a tap observes. The lock covers a write and its report, so that the tap sees
 * the write before any answer to it. The socket is non-blocking, so the lock is held only shortly.
 */
final class TappedChannel implements GatheringByteChannel, ScatteringByteChannel {
    private final SocketChannel channel;
    private final IwarpTap.Wire wire;
    private final ReentrantLock lock = new ReentrantLock();

    TappedChannel(SocketChannel channel, IwarpTap.Wire wire) {
        this.channel = channel;
        this.wire = wire;
    }

    @Override
    public int write(ByteBuffer bytes) throws IOException {
        return (int) write(new ByteBuffer[] {bytes}, 0, 1);
    }

    @Override
    public long write(ByteBuffer[] pieces) throws IOException {
        return write(pieces, 0, pieces.length);
    }

    @Override
    public long write(ByteBuffer[] pieces, int from, int count) throws IOException {
        var views = views(pieces, from, count);
        lock.lock();
        try {
            long written = channel.write(pieces, from, count);
            report(views, written, wire::sent);
            return written;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        return (int) read(new ByteBuffer[] {target}, 0, 1);
    }

    @Override
    public long read(ByteBuffer[] targets) throws IOException {
        return read(targets, 0, targets.length);
    }

    @Override
    public long read(ByteBuffer[] targets, int from, int count) throws IOException {
        var views = views(targets, from, count);
        long read = channel.read(targets, from, count);
        lock.lock();
        try {
            report(views, read, wire::received);
        } finally {
            lock.unlock();
        }
        return read;
    }

    private static ByteBuffer[] views(ByteBuffer[] buffers, int from, int count) {
        var views = new ByteBuffer[count];
        for (int i = 0; i < count; i++) {
            views[i] = buffers[from + i].duplicate();
        }
        return views;
    }

    private static void report(ByteBuffer[] views, long bytes, Consumer<ByteBuffer> observer) {
        long left = bytes;
        for (int i = 0; i < views.length && left > 0; i++) {
            int count = (int) Math.min(left, views[i].remaining());
            if (count > 0) {
                observer.accept(views[i].limit(views[i].position() + count));
                left -= count;
            }
        }
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
