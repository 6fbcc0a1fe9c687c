package io.github.rpcrdma4j.nfs.nio.channel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.FileLock;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.ShutdownChannelGroupException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;

/**
 * An asynchronous channel to a file of a server. Each read, write and lock waits for the server on
 * a virtual thread of its own, so that any number of them go on at the same time. A future that is
 * cancelled does not end its call, whose buffer is free when the channel has been closed; a lock
 * that comes later is released. Thread-safe.
 *
 * <p>Tests: {@code AsynchronousChannelContract}.
 */
public final class NfsAsynchronousChannel extends AsynchronousFileChannel {
    private final NfsFileChannel channel;

    /** Runs completion handlers; empty for the thread that made the call. */
    private final Optional<ExecutorService> handlers;

    /**
     * Creates a channel.
     *
     * @param channel makes its calls, and is closed with it
     * @param handlers the threads that run completion handlers; empty for threads of its own
     */
    public NfsAsynchronousChannel(NfsFileChannel channel, Optional<ExecutorService> handlers) {
        this.channel = channel;
        this.handlers = handlers;
    }

    /** Makes calls. */
    private interface Call<T> {
        T run() throws IOException;
    }

    private <T> CompletableFuture<T> begin(Call<T> call) {
        var result = new CompletableFuture<T>();
        Thread.ofVirtual()
                .name("nfs-asynchronous")
                .start(
                        () -> {
                            try {
                                var value = call.run();
                                if (!result.complete(value) && value instanceof FileLock late) {
                                    // It was cancelled, so nobody would release it.
                                    late.release();
                                }
                            } catch (IOException | RuntimeException | Error failure) {
                                result.completeExceptionally(failure);
                            }
                        });
        return result;
    }

    private <T, A> void begin(Call<T> call, A attachment, CompletionHandler<T, ? super A> handler) {
        if (handlers.isPresent() && handlers.get().isShutdown()) {
            throw new ShutdownChannelGroupException();
        }
        begin(call)
                .whenComplete(
                        (result, failure) ->
                                handle(
                                        () -> {
                                            if (failure == null) {
                                                handler.completed(result, attachment);
                                            } else {
                                                handler.failed(failure, attachment);
                                            }
                                        }));
    }

    private void handle(Runnable handler) {
        if (handlers.isEmpty()) {
            handler.run();
            return;
        }
        try {
            handlers.get().execute(handler);
        } catch (RejectedExecutionException _) {
            // Its result must not be lost: it may be a lock.
            handler.run();
        }
    }

    private Call<Integer> reading(ByteBuffer target, long position) {
        NfsFileChannel.requireNotNegative(position);
        if (target.isReadOnly()) {
            throw new IllegalArgumentException("a buffer to read into must not be read-only");
        }
        if (!channel.isReadable()) {
            throw new NonReadableChannelException();
        }
        return () -> channel.read(target, position);
    }

    private Call<Integer> writing(ByteBuffer source, long position) {
        NfsFileChannel.requireNotNegative(position);
        if (!channel.isWritable()) {
            throw new NonWritableChannelException();
        }
        return () -> channel.write(source, position);
    }

    /** Keeps the range, so that an overlapping lock of this program is refused from now on. */
    private Call<FileLock> locking(long position, long size, boolean isShared) {
        var lock = new RangeLock(this, channel, position, size, isShared);
        try {
            channel.reserve(lock);
        } catch (IOException closed) {
            return () -> {
                throw closed;
            };
        }
        return () -> channel.take(lock, ChronoUnit.FOREVER.getDuration());
    }

    @Override
    public <A> void read(
            ByteBuffer target,
            long position,
            A attachment,
            CompletionHandler<Integer, ? super A> handler) {
        begin(reading(target, position), attachment, handler);
    }

    @Override
    public Future<Integer> read(ByteBuffer target, long position) {
        return begin(reading(target, position));
    }

    @Override
    public <A> void write(
            ByteBuffer source,
            long position,
            A attachment,
            CompletionHandler<Integer, ? super A> handler) {
        begin(writing(source, position), attachment, handler);
    }

    @Override
    public Future<Integer> write(ByteBuffer source, long position) {
        return begin(writing(source, position));
    }

    @Override
    public <A> void lock(
            long position,
            long size,
            boolean isShared,
            A attachment,
            CompletionHandler<FileLock, ? super A> handler) {
        begin(locking(position, size, isShared), attachment, handler);
    }

    @Override
    public Future<FileLock> lock(long position, long size, boolean isShared) {
        return begin(locking(position, size, isShared));
    }

    @Override
    public FileLock tryLock(long position, long size, boolean isShared) throws IOException {
        var lock = new RangeLock(this, channel, position, size, isShared);
        channel.reserve(lock);
        return channel.take(lock, Duration.ZERO);
    }

    @Override
    public long size() throws IOException {
        return channel.size();
    }

    @Override
    public AsynchronousFileChannel truncate(long size) throws IOException {
        channel.truncate(size);
        return this;
    }

    @Override
    public void force(boolean withAttributes) throws IOException {
        channel.force(withAttributes);
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    /** Ends the calls that go on, with an {@link ClosedChannelException}, and closes the file. */
    @Override
    public void close() throws IOException {
        channel.close();
    }
}
