package io.github.rpcrdma4j.nfs.client.local;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The contents of an open file of any file system. An interrupt closes a {@code FileChannel}, so an
 * {@link AsynchronousFileChannel} is used if the file system supports it.
 *
 * <p>Tests: {@code NioTreeTest}, {@code NioTreeInMemoryTest}.
 */
sealed interface NioChannel extends AutoCloseable {
    /** The scheme of archives: they have no links, and refuse an option for links. */
    String ARCHIVE_SCHEME = "jar";

    /**
     * Opens a file; a link is not followed.
     *
     * @param attributes of a new file
     */
    static NioChannel open(Path path, Set<OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        var all = new HashSet<>(options);
        if (!ARCHIVE_SCHEME.equals(path.getFileSystem().provider().getScheme())) {
            all.add(LinkOption.NOFOLLOW_LINKS);
        }
        boolean here = isUnix(path.getFileSystem());
        try {
            var executor = here ? OnThisThread.ONLY : null;
            return new Uninterruptible(
                    AsynchronousFileChannel.open(path, all, executor, attributes), here);
        } catch (UnsupportedOperationException _) {
            return new Interruptible(Files.newByteChannel(path, all, attributes));
        }
    }

    /** Returns whether a channel needs no threads of its own. */
    private static boolean isUnix(FileSystem system) {
        return system.equals(FileSystems.getDefault()) && "/".equals(system.getSeparator());
    }

    /** Reads at an offset; returns -1 at the end of the file. */
    int read(ByteBuffer target, long offset) throws IOException;

    /** Writes some of the bytes at an offset; returns how many. */
    int write(ByteBuffer source, long offset) throws IOException;

    long size() throws IOException;

    void truncate(long size) throws IOException;

    /** Returns whether buffers may be memory that only the calling thread can access. */
    boolean acceptsConfinedMemory();

    @Override
    void close() throws IOException;

    /**
     * A channel that stays open when its thread is interrupted.
     *
     * @param acceptsConfinedMemory whether the calling thread does the work itself
     */
    record Uninterruptible(AsynchronousFileChannel channel, boolean acceptsConfinedMemory)
            implements NioChannel {
        @Override
        public int read(ByteBuffer target, long offset) throws IOException {
            return await(channel.read(target, offset));
        }

        @Override
        public int write(ByteBuffer source, long offset) throws IOException {
            return await(channel.write(source, offset));
        }

        /**
         * Waits for a result. An interrupt does not end the wait; it is kept for later operations.
         */
        private static int await(Future<Integer> result) throws IOException {
            boolean interrupted = false;
            try {
                while (true) {
                    try {
                        return result.get();
                    } catch (InterruptedException _) {
                        interrupted = true;
                    }
                }
            } catch (ExecutionException failed) {
                switch (failed.getCause()) {
                    case IOException failure -> throw failure;
                    case RuntimeException failure -> throw failure;
                    default -> throw new AssertionError(failed.getCause());
                }
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        @Override
        public long size() throws IOException {
            return channel.size();
        }

        @Override
        public void truncate(long size) throws IOException {
            channel.truncate(size);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    /** A channel with a single position, for file systems without asynchronous channels. */
    record Interruptible(SeekableByteChannel channel) implements NioChannel {
        @Override
        public int read(ByteBuffer target, long offset) throws IOException {
            synchronized (channel) {
                return channel.position(offset).read(target);
            }
        }

        @Override
        public int write(ByteBuffer source, long offset) throws IOException {
            synchronized (channel) {
                return channel.position(offset).write(source);
            }
        }

        @Override
        public long size() throws IOException {
            synchronized (channel) {
                return channel.size();
            }
        }

        @Override
        public void truncate(long size) throws IOException {
            synchronized (channel) {
                channel.truncate(size);
            }
        }

        @Override
        public boolean acceptsConfinedMemory() {
            return true;
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    /** Runs every task on the calling thread. */
    final class OnThisThread extends AbstractExecutorService {
        static final ExecutorService ONLY = new OnThisThread();

        private OnThisThread() {}

        @Override
        public void execute(Runnable command) {
            command.run();
        }

        @Override
        public void shutdown() {
            // There is no thread to end.
        }

        @Override
        public List<Runnable> shutdownNow() {
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return false;
        }
    }
}
