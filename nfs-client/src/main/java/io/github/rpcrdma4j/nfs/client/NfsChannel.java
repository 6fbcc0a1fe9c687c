package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.client.file.Interruption;
import io.github.rpcrdma4j.nfs.client.file.StableWrite;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.util.function.UnaryOperator;

/**
 * A channel to a file of a server. Each read and write is one or more calls. Data moves directly to
 * or from a direct buffer; other buffers are copied. Used by one thread at a time.
 */
final class NfsChannel implements SeekableByteChannel {
    private final NfsMount mount;
    private final OpenFile file;
    private final String path;
    private final boolean reads;
    private final boolean writes;
    private final boolean appends;
    private final int readMax;
    private final int writeMax;
    private long position;
    private boolean closed;

    /** Takes the bytes of buffers on the heap; as long as the longest of them, and one call. */
    private MemorySegment copied = MemorySegment.NULL;

    /**
     * Opens a file, and asks the server for its transfer limits.
     *
     * @param path for messages
     */
    NfsChannel(
            NfsMount mount,
            FileHandle file,
            String path,
            boolean reads,
            boolean writes,
            boolean appends)
            throws IOException, InterruptedException {
        this.mount = mount;
        this.path = path;
        this.reads = reads;
        this.writes = writes;
        this.appends = appends;
        var limits = mount.limits();
        readMax = limits.readMax();
        writeMax = limits.writeMax();
        var mode = writes ? OpenFile.Mode.WRITE : OpenFile.Mode.READ;
        this.file =
                mount.service()
                        .open(
                                file,
                                reads && writes ? OpenFile.Mode.BOTH : mode,
                                (writes ? "cannot write " : "cannot read ") + path);
    }

    /** Returns the most bytes that one call may move in either direction. */
    int transferBytes() {
        return Math.min(readMax, writeMax);
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        requireOpen();
        if (!reads) {
            throw new NonReadableChannelException();
        }
        if (!target.hasRemaining()) {
            return 0;
        }
        int length = Math.min(readMax, target.remaining());
        try {
            long count = target.isDirect() ? readDirect(target, length) : readCopy(target, length);
            position += count;
            return count == 0 ? -1 : (int) count;
        } catch (InterruptedException interrupted) {
            throw Interruption.of(interrupted);
        }
    }

    private long readDirect(ByteBuffer target, int length)
            throws IOException, InterruptedException {
        long count = read(MemorySegment.ofBuffer(target).asSlice(0, length));
        target.position(target.position() + (int) count);
        return count;
    }

    private long readCopy(ByteBuffer target, int length) throws IOException, InterruptedException {
        var memory = nativeMemory(length);
        long count = read(memory);
        target.put(memory.asSlice(0, count).asByteBuffer());
        return count;
    }

    /** Returns memory for the bytes of a buffer on the heap, until the next call. */
    private MemorySegment nativeMemory(int length) {
        if (copied.byteSize() < length) {
            copied = Arena.ofAuto().allocate(length);
        }
        return copied.asSlice(0, length);
    }

    /** Reads into native memory and returns the number of bytes; 0 at the end of the file. */
    private long read(MemorySegment memory) throws IOException, InterruptedException {
        return mount.service().read(file, position, memory, "cannot read " + path);
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        requireOpen();
        if (!writes) {
            throw new NonWritableChannelException();
        }
        int total = source.remaining();
        try {
            if (appends) {
                position = fileSize();
            }
            if (source.isDirect()) {
                writeAll(source, bytes -> bytes);
            } else {
                writeCopy(source);
            }
        } catch (InterruptedException interrupted) {
            throw Interruption.of(interrupted);
        }
        return total;
    }

    private void writeCopy(ByteBuffer source) throws IOException, InterruptedException {
        var copy = nativeMemory(Math.min(writeMax, source.remaining()));
        writeAll(source, bytes -> copy.asSlice(0, bytes.byteSize()).copyFrom(bytes));
    }

    /**
     * Writes all bytes of a buffer.
     *
     * @param toNative returns native memory with the bytes of a part of the buffer
     */
    private void writeAll(ByteBuffer source, UnaryOperator<MemorySegment> toNative)
            throws IOException, InterruptedException {
        var write =
                new StableWrite(
                        mount.service(), file, "cannot write " + path, StableWrite.Listener.NONE);
        while (source.hasRemaining()) {
            int length = Math.min(writeMax, source.remaining());
            write.run(toNative.apply(MemorySegment.ofBuffer(source).asSlice(0, length)), position);
            source.position(source.position() + length);
            position += length;
        }
    }

    @Override
    public long position() throws IOException {
        requireOpen();
        return position;
    }

    @Override
    public SeekableByteChannel position(long changed) throws IOException {
        requireOpen();
        if (changed < 0) {
            throw new IllegalArgumentException("a position is not negative: " + changed);
        }
        position = changed;
        return this;
    }

    @Override
    public long size() throws IOException {
        requireOpen();
        try {
            return fileSize();
        } catch (InterruptedException interrupted) {
            throw Interruption.of(interrupted);
        }
    }

    private long fileSize() throws IOException, InterruptedException {
        var what = "cannot stat " + path;
        long size = mount.service().attributes(file.handle(), what).size();
        if (size < 0) {
            throw new IOException(
                    what
                            + ": the server reports an impossible size: "
                            + Long.toUnsignedString(size));
        }
        return size;
    }

    @Override
    public SeekableByteChannel truncate(long size) throws IOException {
        requireOpen();
        if (!writes) {
            throw new NonWritableChannelException();
        }
        if (size < 0) {
            throw new IllegalArgumentException("a size is not negative: " + size);
        }
        try {
            if (size < fileSize()) {
                mount.change(
                        file.handle(), AttributeChanges.ofSize(size), "cannot truncate " + path);
            }
        } catch (InterruptedException interrupted) {
            throw Interruption.of(interrupted);
        }
        position = Math.min(position, size);
        return this;
    }

    private void requireOpen() throws ClosedChannelException {
        if (closed) {
            throw new ClosedChannelException();
        }
    }

    @Override
    public boolean isOpen() {
        return !closed;
    }

    /** Closes the channel only: all written data is already on stable storage. */
    @Override
    public void close() {
        closed = true;
        file.close();
        copied = MemorySegment.NULL;
    }
}
