package io.github.rpcrdma4j.nfs.nio;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.client.NfsUrl.Transport;
import io.github.rpcrdma4j.nfs.client.service.LockLostException;
import io.github.rpcrdma4j.nfs.client.service.LockRange;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.testing.Eventually;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLockInterruptionException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.EnumSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Goal: a channel to a file of a server locks, and ends its waits, as {@link FileChannel} says.
 * Method: another client holds locks, and the server hangs or restarts.
 */
abstract class ChannelLocksContract extends ChannelUser {
    private static final int PAGE = 4096;

    ChannelLocksContract(Transport transport) {
        super(transport);
    }

    @Test
    void locksHoldAgainstOthersAndWithinTheProgram() throws Exception {
        Files.createFile(local);
        var second = FileChannel.open(file, READ, WRITE);
        try (var channel = FileChannel.open(file, READ, WRITE);
                var mount = otherMount()) {
            var lock = channel.lock(0, 10, false);
            assertTrue(lock.isValid());
            assertThrows(OverlappingFileLockException.class, () -> second.tryLock(9, 1, true));
            assertThrows(OverlappingFileLockException.class, () -> channel.lock());
            var beside = second.tryLock(10, 0, true);
            assertEquals(Long.MAX_VALUE - 10, beside.size());
            var handle = mount.resolve("/data/file").handle();
            var service = mount.service();
            try (var open = service.open(handle, OpenFile.Mode.BOTH, "cannot open")) {
                var range = new LockRange(0, 1);
                var none = Duration.ZERO;
                assertFalse(service.lock(open, range, true, none, "cannot lock"));
                lock.release();
                assertFalse(lock.isValid());
                lock.release();
                assertTrue(service.lock(open, range, true, none, "cannot lock"));
                assertNull(channel.tryLock(0, 1, true));
                service.unlock(open, range, "cannot unlock");
                assertNotNull(channel.tryLock(0, 1, true));
            }
            second.close();
            assertFalse(beside.isValid());
            assertThrows(ClosedChannelException.class, beside::release);
        }
    }

    /** A use of a channel on a thread of its own. */
    private static <T> Thread start(FutureTask<T> task) {
        var thread = new Thread(task, "uses a channel");
        thread.start();
        return thread;
    }

    /** Waits until a thread waits: a thread that locks a file does so for the server alone. */
    private static void awaitParked(Thread thread) {
        var waits = EnumSet.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);
        Eventually.await(() -> waits.contains(thread.getState()));
    }

    private static Throwable failure(FutureTask<?> task) {
        return assertThrows(ExecutionException.class, task::get).getCause();
    }

    @Test
    void anInterruptEndsTheWaitForALock() throws Exception {
        Files.createFile(local);
        var channel = FileChannel.open(file, WRITE);
        try (var mount = otherMount()) {
            var handle = mount.resolve("/data/file").handle();
            try (var open = mount.service().open(handle, OpenFile.Mode.BOTH, "cannot open")) {
                var none = Duration.ZERO;
                assertTrue(mount.service().lock(open, LockRange.ALL, true, none, "no"));
                var task = new FutureTask<Object>(channel::lock);
                var thread = start(task);
                awaitParked(thread);
                thread.interrupt();
                assertInstanceOf(FileLockInterruptionException.class, failure(task));
                assertTrue(channel.isOpen());
                var again = new FutureTask<Object>(channel::lock);
                awaitParked(start(again));
                channel.close();
                assertInstanceOf(AsynchronousCloseException.class, failure(again));
            }
        }
    }

    @Test
    void anInterruptClosesTheChannel() throws Exception {
        Files.write(local, bytes(PAGE));
        var channel = FileChannel.open(file, READ);
        int before = served.calls();
        served.hang();
        var interrupted = new AtomicInteger();
        var task =
                new FutureTask<Object>(
                        () -> {
                            try {
                                return channel.read(ByteBuffer.allocate(PAGE), 0);
                            } finally {
                                interrupted.set(Thread.interrupted() ? 1 : 0);
                            }
                        });
        var thread = start(task);
        Eventually.await(() -> served.calls() > before);
        thread.interrupt();
        assertInstanceOf(ClosedByInterruptException.class, failure(task));
        assertEquals(1, interrupted.get());
        assertFalse(channel.isOpen());
        served.goOn();
        try (var next = FileChannel.open(file, READ)) {
            Thread.currentThread().interrupt();
            assertThrows(
                    ClosedByInterruptException.class,
                    () -> next.read(ByteBuffer.allocate(PAGE), 0));
            assertTrue(Thread.interrupted());
        }
    }

    @Test
    void closingAChannelEndsTheCallsOfOthers() throws Exception {
        Files.write(local, bytes(PAGE));
        var channel = FileChannel.open(file, READ);
        int before = served.calls();
        served.hang();
        var task = new FutureTask<Object>(() -> channel.read(ByteBuffer.allocate(PAGE), 0));
        start(task);
        Eventually.await(() -> served.calls() > before);
        var closing =
                new FutureTask<Object>(
                        () -> {
                            channel.close();
                            return null;
                        });
        start(closing);
        assertInstanceOf(AsynchronousCloseException.class, failure(task));
        served.goOn();
        closing.get();
    }

    /** Goal: a program hears that a lock is lost, and does not write without it. */
    @Test
    void aLostLockIsToldByEachUseUntilItIsReleased() throws Exception {
        Files.createFile(local);
        try (var channel = FileChannel.open(file, READ, WRITE)) {
            var lock = channel.lock();
            served.restart();
            for (int i = 0; i < 2; i++) {
                assertThrows(LockLostException.class, () -> channel.write(text("x"), 0));
            }
            Eventually.await(() -> !lock.isValid());
            assertEquals(0, Files.size(local));
            lock.release();
            channel.write(text("y"), 0);
            assertTrue(channel.lock().isValid());
        }
        assertEquals("y", Files.readString(local));
    }
}
