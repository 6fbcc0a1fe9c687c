package io.github.rpcrdma4j.nfs.nio.channel;

import io.github.rpcrdma4j.nfs.client.service.LockRange;
import java.io.IOException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileLock;

/** A lock of a range of a file, at the server. Thread-safe. */
final class RangeLock extends FileLock {
    private final NfsFileChannel channel;
    private volatile boolean isHeld = true;

    /**
     * Creates a lock that the server is to be asked for.
     *
     * @param size in bytes; 0 to the end of the file, however long it is
     */
    RangeLock(NfsFileChannel channel, long position, long size, boolean isShared) {
        super(channel, position, length(position, size), isShared);
        this.channel = channel;
    }

    /** Creates a lock in the same way, which the program takes by another channel. */
    RangeLock(
            AsynchronousFileChannel taker,
            NfsFileChannel channel,
            long position,
            long size,
            boolean isShared) {
        super(taker, position, length(position, size), isShared);
        this.channel = channel;
    }

    private static long length(long position, long size) {
        return size == 0 ? Long.MAX_VALUE - Math.max(0, position) : size;
    }

    /** Returns the range as the server takes it. */
    LockRange range() {
        boolean isToEnd = size() == Long.MAX_VALUE - position();
        return new LockRange(position(), isToEnd ? LockRange.TO_END : size());
    }

    /** Takes note that the lock does not protect anything any more. */
    void lose() {
        isHeld = false;
    }

    @Override
    public boolean isValid() {
        return isHeld && channel.isOpen();
    }

    @Override
    public void release() throws IOException {
        if (!channel.isOpen()) {
            throw new ClosedChannelException();
        }
        channel.release(this);
    }
}
