package io.github.rpcrdma4j.nfs.nio.channel;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.file.StableWrite;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Written;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The bytes that a channel has written, and that the server may still lose by a restart. They are
 * kept until they are committed, and written again if the write verifier shows a loss (RFC 8881,
 * Section 18.32). What is kept is bounded: beyond that, it is committed. Thread-safe.
 *
 * <p>Tests: {@code ChannelContract}.
 */
final class RetainedWrites {
    /** The most bytes that are kept. */
    static final long BYTES_MAX = 8 << 20;

    /** The most ranges that are kept. */
    private static final int RANGES_MAX = 4096;

    /** A write that succeeded. */
    private record Range(
            long offset, MemorySegment bytes, SegmentPool.Lease lease, long verifier) {}

    private final ChannelFile file;

    /** Writes share it; a commit has it alone, so that nothing is written meanwhile. */
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

    /** Guarded by this object, like the fields below. In the order in which they were written. */
    private final List<Range> ranges = new ArrayList<>();

    /** The bytes of all ranges, and of writes that go on. */
    private long bytes;

    /** The failure of a commit, after which nobody knows what the file holds. */
    private NfsException failure;

    RetainedWrites(ChannelFile file) {
        this.file = file;
    }

    /** Makes one call that writes; empty if it has written nothing because the file has changed. */
    interface Call {
        /** Makes it. */
        Optional<Written> write() throws IOException, InterruptedException;
    }

    /**
     * Makes a call that writes.
     *
     * @param data what it writes, at most
     * @return how many bytes it has written, at least one; empty as that of the call
     */
    OptionalLong write(MemorySegment data, long offset, Call call)
            throws IOException, InterruptedException {
        while (true) {
            lock.readLock().lockInterruptibly();
            try {
                requireSound();
                if (isTaken(data.byteSize())) {
                    return written(data, offset, call);
                }
            } finally {
                lock.readLock().unlock();
            }
            commit();
        }
    }

    private synchronized void requireSound() throws IOException {
        if (failure != null) {
            throw new IOException(failure.getMessage(), failure);
        }
    }

    /** Takes room for bytes. What is longer than all room has it alone. */
    private synchronized boolean isTaken(long more) {
        boolean fits = bytes == 0 || bytes + more <= BYTES_MAX && ranges.size() < RANGES_MAX;
        if (fits) {
            bytes += more;
        }
        return fits;
    }

    private synchronized void giveBack(long unused) {
        bytes -= unused;
    }

    private OptionalLong written(MemorySegment data, long offset, Call call)
            throws IOException, InterruptedException {
        long retained = 0;
        try {
            var reply = call.write();
            if (reply.isEmpty()) {
                return OptionalLong.empty();
            }
            long count = StableWrite.count(reply.get(), data.byteSize(), file.writing());
            if (reply.get().stability() == Stability.UNSTABLE
                    && isRetained(data.asSlice(0, count), offset, reply.get().verifier())) {
                retained = count;
            }
            return OptionalLong.of(count);
        } finally {
            giveBack(data.byteSize() - retained);
        }
    }

    /** Keeps a copy of bytes, or puts them on stable storage if there is no memory for one. */
    private boolean isRetained(MemorySegment data, long offset, long verifier)
            throws IOException, InterruptedException {
        try {
            var lease = file.pool().lease(data.byteSize());
            add(new Range(offset, lease.segment().copyFrom(data), lease, verifier));
            return true;
        } catch (BudgetExhaustedException _) {
            again().run(data, offset);
            return false;
        }
    }

    private StableWrite again() {
        return new StableWrite(
                file.service(), file.open(), file.writing(), StableWrite.Listener.NONE);
    }

    private synchronized void add(Range range) {
        ranges.add(range);
    }

    /**
     * Puts all written bytes on stable storage. If the server refuses, each later write and commit
     * fails in the same way.
     */
    void commit() throws IOException, InterruptedException {
        lock.writeLock().lockInterruptibly();
        try {
            requireSound();
            if (!ranges.isEmpty()) {
                committed(file.service().commit(file.open(), 0, 0, file.writing()));
                release();
            }
        } catch (NfsException refused) {
            fail(refused);
            throw refused;
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** Writes everything again if anything is lost: later bytes may lie on earlier ones. */
    private void committed(long verifier) throws IOException, InterruptedException {
        if (ranges.stream().allMatch(range -> range.verifier == verifier)) {
            return;
        }
        for (var range : ranges) {
            again().run(range.bytes, range.offset);
        }
    }

    private synchronized void fail(NfsException refused) {
        failure = refused;
    }

    /** Drops what is kept. */
    synchronized void release() {
        for (var range : ranges) {
            range.lease.close();
            bytes -= range.bytes.byteSize();
        }
        ranges.clear();
    }
}
