package io.github.rpcrdma4j.nfs.directories.nio;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.concurrent.CountDownLatch;

/** A channel whose force fails once on request, as a force in Linux does. */
final class FailingChannel extends FileChannel {
    private final FileChannel file;

    /** Blocks the next force before it fails; null if that does not fail. */
    Gate failing;

    /** The failure of writes; null if they succeed. */
    IOException refusal;

    volatile int forced;

    /** Blocks a failing force. */
    static final class Gate {
        private final CountDownLatch reached = new CountDownLatch(1);
        private final CountDownLatch opened = new CountDownLatch(1);

        /** Returns a gate that does not block. */
        static Gate open() {
            var gate = new Gate();
            gate.opened.countDown();
            return gate;
        }

        /** Waits until a force is blocked here. */
        void awaitForce() throws InterruptedException {
            reached.await();
        }

        void letFail() {
            opened.countDown();
        }
    }

    FailingChannel(FileChannel file) {
        this.file = file;
    }

    @Override
    public void force(boolean metaData) throws IOException {
        forced++;
        if (failing != null) {
            var gate = failing;
            failing = null;
            gate.reached.countDown();
            try {
                gate.opened.await();
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
            throw new IOException("no storage");
        }
        file.force(metaData);
    }

    @Override
    public int write(ByteBuffer source, long position) throws IOException {
        if (refusal != null) {
            throw refusal;
        }
        return file.write(source, position);
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        return file.read(target, position);
    }

    @Override
    public long size() throws IOException {
        return file.size();
    }

    @Override
    protected void implCloseChannel() throws IOException {
        file.close();
    }

    @Override
    public int read(ByteBuffer target) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int write(ByteBuffer source) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long position() {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileChannel position(long newPosition) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileChannel truncate(long size) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long position, long count) {
        throw new UnsupportedOperationException();
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) {
        throw new UnsupportedOperationException();
    }
}
