package io.github.rpcrdma4j.nfs.nio.channel;

import io.github.rpcrdma4j.nfs.Stability;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Moves bytes between buffers and an open file. Direct buffers are used themselves; others are
 * copied by leased memory. Thread-safe.
 *
 * <p>Tests: {@code ChannelContract}.
 */
record FileBytes(ChannelFile file, RetainedWrites writes, Stability stability) {
    private static long remaining(ByteBuffer[] buffers) {
        long remaining = 0;
        for (var each : buffers) {
            remaining += each.remaining();
        }
        return remaining;
    }

    /**
     * Reads bytes by one call.
     *
     * @return how many; -1 at the end of the file
     */
    int read(ByteBuffer[] targets, long offset) throws IOException, InterruptedException {
        long wanted = remaining(targets);
        if (wanted == 0) {
            return 0;
        }
        int length = (int) Math.min(file.limits().readMax(), wanted);
        long count;
        if (targets.length == 1 && targets[0].isDirect()) {
            var target = targets[0];
            count = read(MemorySegment.ofBuffer(target).asSlice(0, length), offset);
            target.position(target.position() + (int) count);
        } else {
            try (var lease = file.lease(length)) {
                count = read(lease.segment(), offset);
                scatter(lease.segment().asSlice(0, count).asByteBuffer(), targets);
            }
        }
        return count == 0 ? -1 : (int) count;
    }

    /** Reads into native memory; returns 0 at the end of the file. */
    long read(MemorySegment target, long offset) throws IOException, InterruptedException {
        return file.service().read(file.open(), offset, target, file.reading());
    }

    private static void scatter(ByteBuffer source, ByteBuffer[] targets) {
        for (var target : targets) {
            int count = Math.min(target.remaining(), source.remaining());
            target.put(source.slice(source.position(), count));
            source.position(source.position() + count);
        }
    }

    /** Writes native memory by one call or several. Returns where the written bytes end. */
    private interface Target {
        long write(MemorySegment bytes) throws IOException, InterruptedException;
    }

    /**
     * Writes all bytes.
     *
     * @return how many
     */
    long write(ByteBuffer[] sources, long offset) throws IOException, InterruptedException {
        long wanted = remaining(sources);
        if (offset > Long.MAX_VALUE - wanted) {
            throw new IOException(file.writing() + ": the file would be longer than a file can be");
        }
        long at = offset;
        while (at < offset + wanted) {
            long from = at;
            at = part(sources, bytes -> writeAll(bytes, from));
        }
        return wanted;
    }

    /**
     * Writes all bytes at the end of the file, the bytes of each call together.
     *
     * @param size of the file as far as it is known
     * @return the size of the file then
     */
    long append(ByteBuffer[] sources, long size) throws IOException, InterruptedException {
        long end = size;
        while (remaining(sources) > 0) {
            long known = end;
            end = part(sources, bytes -> appendAll(bytes, known));
        }
        return end;
    }

    /** Writes the next bytes of buffers, at most as many as one call takes. */
    private long part(ByteBuffer[] sources, Target target)
            throws IOException, InterruptedException {
        int next = 0;
        while (!sources[next].hasRemaining()) {
            next++;
        }
        var source = sources[next];
        int length = (int) Math.min(file.limits().writeMax(), remaining(sources));
        if (source.isDirect() && source.remaining() >= length) {
            long end = target.write(MemorySegment.ofBuffer(source).asSlice(0, length));
            source.position(source.position() + length);
            return end;
        }
        try (var lease = file.lease(length)) {
            var gathered = lease.segment().asByteBuffer();
            for (var each : sources) {
                int count = Math.min(each.remaining(), gathered.remaining());
                gathered.put(each.slice(each.position(), count));
            }
            long end = target.write(lease.segment());
            take(sources, length);
            return end;
        }
    }

    private static void take(ByteBuffer[] sources, int length) {
        int left = length;
        for (var each : sources) {
            int count = Math.min(each.remaining(), left);
            each.position(each.position() + count);
            left -= count;
        }
    }

    /** Writes native memory. Returns where it ends in the file. */
    long writeAll(MemorySegment bytes, long offset) throws IOException, InterruptedException {
        for (long done = 0; done < bytes.byteSize(); ) {
            var left = bytes.asSlice(done);
            long at = offset + done;
            RetainedWrites.Call call =
                    () ->
                            Optional.of(
                                    file.service()
                                            .write(
                                                    file.open(),
                                                    at,
                                                    stability,
                                                    left,
                                                    file.writing()));
            done += writes.write(left, at, call).orElseThrow();
        }
        commitIfWanted();
        return offset + bytes.byteSize();
    }

    private long appendAll(MemorySegment bytes, long size)
            throws IOException, InterruptedException {
        long end = size;
        for (long done = 0; done < bytes.byteSize(); ) {
            var left = bytes.asSlice(done);
            long at = end;
            RetainedWrites.Call call =
                    () ->
                            file.service()
                                    .writeAtEnd(file.open(), at, stability, left, file.writing());
            var count = writes.write(left, at, call);
            done += count.orElse(0);
            // Another client has written meanwhile.
            end = count.isPresent() ? at + count.getAsLong() : file.size();
        }
        commitIfWanted();
        return end;
    }

    /** A server may do less than it was asked to. */
    private void commitIfWanted() throws IOException, InterruptedException {
        if (stability != Stability.UNSTABLE) {
            writes.commit();
        }
    }
}
