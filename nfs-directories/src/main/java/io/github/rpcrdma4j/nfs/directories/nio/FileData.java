package io.github.rpcrdma4j.nfs.directories.nio;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.directories.common.ConcurrentChanges;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.Node.Changed;
import io.github.rpcrdma4j.nfs.store.Node.ReadBytes;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.Node.Written;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.util.Optional;

/**
 * Reads, writes and forces the data of files. A file's path is only needed to open it, so a long
 * transfer delays no rename.
 */
record FileData(NioStore store, OpenFiles openFiles) {
    /**
     * The most attempts of a call to open a file whose channel is closed by the interrupt of
     * another call.
     */
    static final int ATTEMPTS_MAX = 8;

    private record Opened(ResolvedFile file, OpenFiles.Use use) {}

    /** A transfer of data, which may have to start again. */
    private interface Transfer<R> {
        R run(ResolvedFile file, OpenFiles.Use use) throws IOException, StoreException;
    }

    /**
     * @param room the space that the data needs, in bytes
     * @param end the offset after its last byte, in bytes
     */
    private <R> R transfer(
            NioNode node, boolean writable, long room, long end, Transfer<R> transfer)
            throws StoreException {
        for (int attempt = 1; ; attempt++) {
            var opened = store.at(node, file -> open(file, writable));
            try (var use = opened.use) {
                return transfer.run(opened.file, use);
            } catch (ClosedByInterruptException interrupted) {
                throw Failures.ofData(interrupted, opened.file.path(), 0, 0);
            } catch (ClosedChannelException closed) {
                if (attempt == ATTEMPTS_MAX) {
                    throw Failures.ofData(closed, opened.file.path(), 0, 0);
                }
            } catch (IOException | RuntimeException failure) {
                throw Failures.ofData(failure, opened.file.path(), room, end);
            }
        }
    }

    private Opened open(ResolvedFile file, boolean writable) throws StoreException {
        file.requireRegular();
        try {
            return new Opened(file, openFiles.open(file, writable));
        } catch (IOException | RuntimeException failure) {
            throw Failures.ofChange(failure, file.path());
        }
    }

    ReadBytes read(NioNode node, long offset, MemorySegment target) throws StoreException {
        return transfer(
                node,
                false,
                0,
                0,
                (_, use) -> {
                    boolean isInside = offset < use.channel().size();
                    var into = target.asByteBuffer();
                    int done = isInside ? readAll(use.channel(), into, offset) : 0;
                    var after = now(node);
                    long size = after.isPresent() ? after.get().size() : use.channel().size();
                    return ReadBytes.of(done, target.byteSize(), offset, size, after);
                });
    }

    /** Reads until the target is full or the file ends, and returns the number of bytes. */
    private static int readAll(FileChannel channel, ByteBuffer target, long offset)
            throws IOException {
        int read = 0;
        while (target.hasRemaining() && read >= 0) {
            read = channel.read(target, offset + target.position());
        }
        return target.position();
    }

    private Optional<FileStatus> now(NioNode node) {
        try {
            return Optional.of(node.status());
        } catch (StoreException _) {
            return Optional.empty();
        }
    }

    Changed<Written> write(
            NioNode node, long offset, MemorySegment source, Stability stability, Storage storage)
            throws StoreException {
        store.requireWritable();
        int bytes = (int) source.byteSize();
        if (offset > Long.MAX_VALUE - bytes) {
            throw new StoreException(Failure.FBIG);
        }
        // The verifier is read before the write, so a failure in between changes it.
        long verifier = store.verifier().now();
        try (var span = store.concurrentChanges().begin(node.inode())) {
            return transfer(
                    node,
                    true,
                    bytes,
                    offset + bytes,
                    (file, use) -> {
                        long size = use.channel().size();
                        store.reader().requireRoom(file.path(), size, offset + bytes);
                        writeAll(file, use, source.asByteBuffer(), offset);
                        if (stability != Stability.UNSTABLE && storage == Storage.SYNC) {
                            use.force(stability == Stability.FILE_SYNC);
                        }
                        return new Changed<>(
                                before(file, span),
                                now(node),
                                new Written(bytes, stability, verifier));
                    });
        }
    }

    private static Optional<FileStatus> before(
            ResolvedFile file, ConcurrentChanges<Inode>.Span span) {
        return span.isAlone() ? Optional.of(file.attributes().status()) : Optional.empty();
    }

    private void writeAll(ResolvedFile file, OpenFiles.Use use, ByteBuffer source, long offset)
            throws IOException, StoreException {
        int bytes = source.remaining();
        use.writes();
        try {
            while (source.hasRemaining()) {
                use.channel().write(source, offset + source.position());
            }
        } catch (ClosedChannelException closed) {
            throw closed;
        } catch (IOException | RuntimeException failure) {
            throw refused(failure, file, bytes, offset + bytes);
        } finally {
            // Another call may have forced the file in between.
            use.writes();
        }
    }

    /**
     * Returns the failure of a write. A lack of rights or space loses no earlier data. Any other
     * failure may, so it changes the write verifier.
     */
    private StoreException refused(Exception failure, ResolvedFile file, long bytes, long end) {
        boolean mayBeLost = true;
        try {
            var reason = Failures.ofData(failure, file.path(), bytes, end);
            mayBeLost = reason.failure() == Failure.IO;
            return reason;
        } finally {
            if (mayBeLost) {
                store.verifier().change();
            }
        }
    }

    Changed<Long> commit(NioNode node, Storage storage) throws StoreException {
        if (store.isReadOnly()) {
            return commit(node, storage, false);
        }
        try {
            return commit(node, storage, true);
        } catch (StoreException denied) {
            if (denied.failure() != Failure.ACCES) {
                throw denied;
            }
            // The writer has lost the right to write. Most systems also force files that are open
            // for reading.
            return commit(node, storage, false);
        }
    }

    private Changed<Long> commit(NioNode node, Storage storage, boolean writable)
            throws StoreException {
        try (var span = store.concurrentChanges().observe(node.inode())) {
            return transfer(
                    node,
                    writable,
                    0,
                    0,
                    (file, use) -> {
                        boolean forces = !store.isReadOnly() && storage == Storage.SYNC;
                        long verifier = forces ? use.commit() : store.verifier().now();
                        return new Changed<>(before(file, span), now(node), verifier);
                    });
        }
    }
}
