package io.github.rpcrdma4j.nfs.nio.channel;

import io.github.rpcrdma4j.nfs.client.file.Interruption;
import io.github.rpcrdma4j.nfs.client.file.ReadAheadStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.FileLockInterruptionException;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.FileSystemException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A channel to a file of a server. Positional reads and writes go on at the same time, each as
 * calls of its own; the others take turns. Written bytes go to the server before a write returns,
 * so that all channels and clients see them, and are on its stable storage after {@link #force} or
 * {@link #close}. Thread-safe.
 *
 * <p>Tests: {@code ChannelContract}.
 */
public final class NfsFileChannel extends FileChannel {
    private static final Logger LOG = System.getLogger(NfsFileChannel.class.getName());

    private static final int READ_AHEAD_MIN = 8192;

    /** What is done when the channel is closed, after the file. */
    public interface AfterClose {
        /** Does it. */
        void run() throws IOException, InterruptedException;
    }

    private final ChannelFile file;
    private final OpenWish wish;
    private final ChannelUsers users = new ChannelUsers();
    private final RetainedWrites writes;
    private final FileBytes bytes;
    private final ChannelLocks locks;
    private final AppendTurns turns;
    private final AppendTurns.Turn turn;
    private final AfterClose afterClose;

    /** Held during calls that use the position. */
    private final ReentrantLock positioning = new ReentrantLock();

    /** Guarded by the lock. */
    private long position;

    /** Whether an interrupt closes the channel, so that its thread does not wait for the server. */
    private volatile boolean closesApart;

    /**
     * Creates a channel to an open file, which it closes.
     *
     * @param locks of all channels of the file system
     * @param turns of all channels of the file system
     */
    public NfsFileChannel(
            ChannelFile file,
            OpenWish wish,
            LockTable locks,
            AppendTurns turns,
            AfterClose afterClose) {
        this.file = file;
        this.wish = wish;
        this.writes = new RetainedWrites(file);
        this.bytes = new FileBytes(file, writes, wish.stability());
        this.locks = new ChannelLocks(file, locks);
        this.turns = turns;
        this.turn = turns.join(file.identity());
        this.afterClose = afterClose;
    }

    /** Makes calls. */
    private interface Call<T> {
        T run() throws IOException, InterruptedException;
    }

    /** Makes calls until they are done, or an interrupt or another thread closes the channel. */
    private <T> T call(Call<T> call) throws IOException {
        users.enter();
        T result = null;
        boolean isDone = false;
        boolean isClosed;
        try {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            result = call.run();
            isDone = true;
        } catch (InterruptedException _) {
            // By whom, is known after the use.
        } finally {
            isClosed = users.leave();
        }
        if (isDone) {
            return result;
        }
        if (isClosed) {
            throw new AsynchronousCloseException();
        }
        closesApart = true;
        close();
        Thread.currentThread().interrupt();
        throw new ClosedByInterruptException();
    }

    /** Makes calls that use the position, one thread after the other. */
    private <T> T inTurn(Call<T> call) throws IOException {
        return call(
                () -> {
                    positioning.lockInterruptibly();
                    try {
                        return call.run();
                    } finally {
                        positioning.unlock();
                    }
                });
    }

    /** Returns a stream of the file from its position on, which reads ahead. */
    public InputStream inputStream() {
        long all = Math.max(file.sizeWhenOpened(), 0) + 1;
        int ahead = (int) Math.min(file.limits().readMax(), Math.max(all, READ_AHEAD_MIN));
        return new ReadAheadStream(Channels.newInputStream(this), ahead);
    }

    /** Returns whether the file was opened for reading. */
    boolean isReadable() {
        return wish.reads();
    }

    /** Returns whether the file was opened for writing. */
    boolean isWritable() {
        return wish.writes();
    }

    private void requireReads() throws IOException {
        requireOpen();
        if (!wish.reads()) {
            throw new NonReadableChannelException();
        }
        if (file.isDirectory()) {
            throw new FileSystemException(file.path(), null, "is a directory");
        }
    }

    private void requireWrites() throws IOException {
        requireOpen();
        if (!wish.writes()) {
            throw new NonWritableChannelException();
        }
    }

    private void requireOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    static void requireNotNegative(long number) {
        if (number < 0) {
            throw new IllegalArgumentException("negative: " + number);
        }
    }

    private static ByteBuffer[] part(ByteBuffer[] buffers, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, buffers.length);
        return Arrays.copyOfRange(buffers, offset, offset + length);
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        return (int) readNext(target);
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
        return readNext(part(targets, offset, length));
    }

    private long readNext(ByteBuffer... targets) throws IOException {
        requireReads();
        return inTurn(
                () -> {
                    int count = bytes.read(targets, position);
                    position += Math.max(0, count);
                    return (long) count;
                });
    }

    @Override
    public int read(ByteBuffer target, long at) throws IOException {
        requireNotNegative(at);
        requireReads();
        return call(() -> bytes.read(new ByteBuffer[] {target}, at));
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        return (int) writeNext(source);
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        return writeNext(part(sources, offset, length));
    }

    private long writeNext(ByteBuffer... sources) throws IOException {
        requireWrites();
        return inTurn(
                () -> {
                    if (wish.appends()) {
                        return append(sources);
                    }
                    long count = bytes.write(sources, position);
                    position += count;
                    return count;
                });
    }

    /** Writes at the end of the file. A channel that appends does so at any position. */
    @Override
    public int write(ByteBuffer source, long at) throws IOException {
        requireNotNegative(at);
        requireWrites();
        return wish.appends()
                ? (int) writeNext(source)
                : call(() -> (int) bytes.write(new ByteBuffer[] {source}, at));
    }

    private long append(ByteBuffer... sources) throws IOException, InterruptedException {
        long wanted = 0;
        for (var each : sources) {
            wanted += each.remaining();
        }
        turn.lock.lockInterruptibly();
        try {
            // The server compares it: another client may have changed it.
            long known = turn.size < 0 ? file.size() : turn.size;
            turn.size = -1;
            turn.size = bytes.append(sources, known);
            position = turn.size;
        } finally {
            turn.lock.unlock();
        }
        return wanted;
    }

    @Override
    public long position() throws IOException {
        return inTurn(() -> position);
    }

    @Override
    public FileChannel position(long changed) throws IOException {
        requireOpen();
        requireNotNegative(changed);
        return inTurn(
                () -> {
                    position = changed;
                    return this;
                });
    }

    @Override
    public long size() throws IOException {
        return call(file::size);
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        requireOpen();
        requireNotNegative(size);
        requireWrites();
        return inTurn(
                () -> {
                    if (size < file.size()) {
                        // What is kept must not be written again behind the new end.
                        writes.commit();
                        file.service().truncate(file.open(), size, file.writing());
                    }
                    position = Math.min(position, size);
                    return this;
                });
    }

    @Override
    public void force(boolean withAttributes) throws IOException {
        call(
                () -> {
                    writes.commit();
                    return null;
                });
    }

    @Override
    public long transferTo(long from, long count, WritableByteChannel target) throws IOException {
        requireReads();
        if (!target.isOpen()) {
            throw new ClosedChannelException();
        }
        if (target instanceof NfsFileChannel other) {
            other.requireWrites();
        }
        requireNotNegative(from);
        requireNotNegative(count);
        long done = 0;
        try (var lease = file.lease(Math.max(1, Math.min(count, file.limits().readMax())))) {
            var memory = lease.segment();
            while (done < count) {
                long at = from + done;
                if (at < 0) {
                    return done;
                }
                var part = memory.asSlice(0, Math.min(memory.byteSize(), count - done));
                int read = (int) (long) call(() -> bytes.read(part, at));
                var buffer = part.asSlice(0, read).asByteBuffer();
                int written = 1;
                while (buffer.hasRemaining() && written > 0) {
                    written = target.write(buffer);
                }
                done += buffer.position();
                if (read == 0 || buffer.hasRemaining()) {
                    return done;
                }
            }
        }
        return done;
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long to, long count) throws IOException {
        requireWrites();
        if (!source.isOpen()) {
            throw new ClosedChannelException();
        }
        requireNotNegative(to);
        requireNotNegative(count);
        if (to > size()) {
            return 0;
        }
        long done = 0;
        try (var lease = file.lease(Math.max(1, Math.min(count, file.limits().writeMax())))) {
            while (done < count) {
                long most = Math.min(lease.length(), count - done);
                var buffer = lease.segment().asSlice(0, most).asByteBuffer();
                int read = 1;
                while (buffer.hasRemaining() && read > 0) {
                    read = source.read(buffer);
                }
                buffer.flip();
                if (!buffer.hasRemaining()) {
                    return done;
                }
                done += write(buffer, to + done);
                if (read <= 0) {
                    return done;
                }
            }
        }
        return done;
    }

    /**
     * Is refused: pages of memory cannot be those of a file that no file system of this machine
     * has.
     */
    @Override
    public MappedByteBuffer map(MapMode mode, long from, long size) {
        throw new UnsupportedOperationException("files of an NFS server cannot be mapped");
    }

    @Override
    public FileLock lock(long from, long size, boolean isShared) throws IOException {
        return lock(new RangeLock(this, from, size, isShared), ChronoUnit.FOREVER.getDuration());
    }

    @Override
    public FileLock tryLock(long from, long size, boolean isShared) throws IOException {
        return lock(new RangeLock(this, from, size, isShared), Duration.ZERO);
    }

    private FileLock lock(RangeLock lock, Duration wait) throws IOException {
        reserve(lock);
        return take(lock, wait);
    }

    /**
     * Keeps the range of a lock for this channel.
     *
     * @throws java.nio.channels.OverlappingFileLockException if this program has or wants a lock
     *     there
     */
    void reserve(RangeLock lock) throws IOException {
        requireOpen();
        if (lock.isShared() && !wish.reads()) {
            throw new NonReadableChannelException();
        }
        if (!lock.isShared() && !wish.writes()) {
            throw new NonWritableChannelException();
        }
        if (file.isDirectory()) {
            throw new FileSystemException(file.path(), null, "is a directory");
        }
        locks.reserve(lock);
    }

    /** Returns a lock whose range was reserved, or null if another program still has one there. */
    FileLock take(RangeLock lock, Duration wait) throws IOException {
        try {
            users.enter();
        } catch (ClosedChannelException closed) {
            locks.forget(lock);
            throw closed;
        }
        boolean isTaken = false;
        boolean isClosed;
        InterruptedException interrupt = null;
        try {
            isTaken = locks.isTaken(lock, wait);
        } catch (InterruptedException interrupted) {
            interrupt = interrupted;
        } finally {
            isClosed = users.leave();
        }
        if (isClosed) {
            throw new AsynchronousCloseException();
        }
        if (interrupt != null) {
            Thread.currentThread().interrupt();
            throw new FileLockInterruptionException();
        }
        return isTaken ? lock : null;
    }

    /** Gives a lock back. */
    void release(RangeLock lock) throws IOException {
        call(
                () -> {
                    locks.release(lock);
                    return null;
                });
    }

    @Override
    protected void implCloseChannel() throws IOException {
        if (closesApart) {
            Thread.ofVirtual().name("nfs-close").start(this::endApart);
        } else {
            end();
        }
    }

    private void endApart() {
        try {
            end();
        } catch (IOException failure) {
            LOG.log(Level.WARNING, "an interrupted channel: " + failure.getMessage());
        }
    }

    /** Ends the calls of others, commits what was written, and closes the file. */
    private void end() throws IOException {
        users.end();
        boolean wasInterrupted = Thread.interrupted();
        try {
            try {
                writes.commit();
            } finally {
                writes.release();
                file.open().close();
                locks.close();
                turns.leave(file.identity());
                afterClose.run();
            }
        } catch (InterruptedException interrupted) {
            throw Interruption.of(interrupted);
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
