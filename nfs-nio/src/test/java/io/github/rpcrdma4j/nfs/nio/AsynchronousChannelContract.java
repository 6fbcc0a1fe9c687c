package io.github.rpcrdma4j.nfs.nio;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.client.NfsUrl.Transport;
import io.github.rpcrdma4j.nfs.client.service.LockRange;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.testing.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.FileLock;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.ShutdownChannelGroupException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Goal: an asynchronous channel to a file of a server does what its class says. */
abstract class AsynchronousChannelContract extends ChannelUser {
    private static final int PAGE = 4096;
    private static final int PAGES = 100;

    AsynchronousChannelContract(Transport transport) {
        super(transport);
    }

    /** A handler whose end can be waited for. */
    private static final class Ended<T> implements CompletionHandler<T, String> {
        final CompletableFuture<T> result = new CompletableFuture<>();
        volatile String attachment;
        volatile String thread;

        private void by(String given) {
            attachment = given;
            thread = Thread.currentThread().getName();
        }

        @Override
        public void completed(T value, String given) {
            by(given);
            result.complete(value);
        }

        @Override
        public void failed(Throwable failure, String given) {
            by(given);
            result.completeExceptionally(failure);
        }
    }

    private static Throwable failure(Future<?> call) {
        return assertThrows(ExecutionException.class, call::get).getCause();
    }

    @Test
    void manyReadsAndWritesGoOnAtTheirPositions() throws Exception {
        byte[] all = bytes(PAGES * PAGE);
        try (var channel = AsynchronousFileChannel.open(file, CREATE, READ, WRITE)) {
            var writes = new ArrayList<Future<Integer>>();
            for (int i = PAGES - 1; i >= 0; i--) {
                writes.add(channel.write(ByteBuffer.wrap(all, i * PAGE, PAGE), (long) i * PAGE));
            }
            for (var each : writes) {
                assertEquals(PAGE, each.get());
            }
            channel.force(true);
            assertEquals(all.length, channel.size());
            assertArrayEquals(all, Files.readAllBytes(local));
            var direct = ByteBuffer.allocateDirect(all.length);
            var reads = new ArrayList<Ended<Integer>>();
            for (int i = 0; i < PAGES; i++) {
                var ended = new Ended<Integer>();
                channel.read(direct.slice(i * PAGE, PAGE), (long) i * PAGE, "page " + i, ended);
                reads.add(ended);
            }
            for (int i = 0; i < PAGES; i++) {
                assertEquals(PAGE, reads.get(i).result.get());
                assertEquals("page " + i, reads.get(i).attachment);
            }
            assertEquals(ByteBuffer.wrap(all), direct);
            assertEquals(-1, channel.read(ByteBuffer.allocate(1), all.length).get());
            assertSame(channel, channel.truncate(PAGE));
            assertEquals(PAGE, Files.size(local));
        }
    }

    @Test
    void handlersRunOnTheThreadsOfTheProgram() throws Exception {
        Files.write(local, bytes(PAGE));
        var threads = Executors.newSingleThreadExecutor(work -> new Thread(work, "handlers"));
        try (var channel = AsynchronousFileChannel.open(file, Set.of(READ), threads)) {
            var ended = new Ended<Integer>();
            channel.read(ByteBuffer.allocate(PAGE), 0, "first", ended);
            assertEquals(PAGE, ended.result.get());
            assertEquals("handlers", ended.thread);
            threads.shutdown();
            assertThrows(
                    ShutdownChannelGroupException.class,
                    () -> channel.read(ByteBuffer.allocate(PAGE), 0, "later", new Ended<>()));
        } finally {
            threads.close();
        }
    }

    @Test
    void whatCannotBeIsRefusedAtOnce() throws Exception {
        Files.write(local, bytes(PAGE));
        var buffer = ByteBuffer.allocate(1);
        try (var reading = AsynchronousFileChannel.open(file, READ);
                var writing = AsynchronousFileChannel.open(file, WRITE)) {
            assertThrows(NonWritableChannelException.class, () -> reading.write(buffer, 0));
            assertThrows(NonReadableChannelException.class, () -> writing.read(buffer, 0));
            assertThrows(NonWritableChannelException.class, () -> reading.lock(0, 1, false));
            assertThrows(IllegalArgumentException.class, () -> reading.read(buffer, -1));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> reading.read(buffer.asReadOnlyBuffer(), 0));
        }
        assertThrows(
                UnsupportedOperationException.class,
                () -> AsynchronousFileChannel.open(file, APPEND));
    }

    @Test
    void aClosedChannelEndsItsCalls() throws Exception {
        Files.write(local, bytes(PAGE));
        var channel = AsynchronousFileChannel.open(file, READ);
        served.hang();
        int before = served.calls();
        var read = channel.read(ByteBuffer.allocate(PAGE), 0);
        Eventually.await(() -> served.calls() > before);
        var closing = Thread.ofVirtual().start(() -> close(channel));
        assertInstanceOf(AsynchronousCloseException.class, failure(read));
        served.goOn();
        closing.join();
        assertFalse(channel.isOpen());
        assertInstanceOf(
                ClosedChannelException.class, failure(channel.read(ByteBuffer.allocate(1), 0)));
    }

    private static void close(AsynchronousFileChannel channel) {
        try {
            channel.close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Test
    void aLockIsWaitedForAndBelongsToItsChannel() throws Exception {
        Files.createFile(local);
        try (var channel = AsynchronousFileChannel.open(file, READ, WRITE);
                var mount = otherMount()) {
            var handle = mount.resolve("/data/file").handle();
            var service = mount.service();
            var range = new LockRange(0, 1);
            try (var open = service.open(handle, OpenFile.Mode.BOTH, "cannot open")) {
                assertTrue(service.lock(open, range, true, Duration.ZERO, "cannot lock"));
                assertNull(channel.tryLock(0, 1, false));
                var ended = new Ended<FileLock>();
                channel.lock(0, 1, false, "lock", ended);
                assertThrows(OverlappingFileLockException.class, () -> channel.lock(0, 10, false));
                assertFalse(ended.result.isDone());
                service.unlock(open, range, "cannot unlock");
                var lock = ended.result.get();
                assertSame(channel, lock.acquiredBy());
                assertTrue(lock.isValid());
                assertFalse(service.lock(open, range, true, Duration.ZERO, "cannot lock"));
                lock.release();
                assertTrue(service.lock(open, range, true, Duration.ZERO, "cannot lock"));
            }
        }
    }

    @Test
    void aLockThatComesAfterItsFutureWasCancelledIsReleased() throws Exception {
        Files.createFile(local);
        try (var channel = AsynchronousFileChannel.open(file, READ, WRITE);
                var mount = otherMount()) {
            var handle = mount.resolve("/data/file").handle();
            var service = mount.service();
            var range = new LockRange(0, 1);
            try (var open = service.open(handle, OpenFile.Mode.BOTH, "cannot open")) {
                assertTrue(service.lock(open, range, true, Duration.ZERO, "cannot lock"));
                var cancelled = channel.lock(0, 1, false);
                assertTrue(cancelled.cancel(true));
                service.unlock(open, range, "cannot unlock");
                Eventually.await(() -> isFree(channel));
            }
        }
    }

    private static boolean isFree(AsynchronousFileChannel channel) throws Exception {
        try (var lock = channel.tryLock(0, 1, false)) {
            return lock != null;
        } catch (OverlappingFileLockException _) {
            return false;
        }
    }
}
