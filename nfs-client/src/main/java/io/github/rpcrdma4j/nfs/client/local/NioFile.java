package io.github.rpcrdma4j.nfs.client.local;

import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;

/**
 * An open regular file of any Java file system. It reports no holes, because Java cannot find them.
 *
 * <p>Tests: {@code NioTreeTest}, {@code NioTreeInMemoryTest}.
 */
final class NioFile implements LocalFile {
    /** The size of a copy, in bytes, if memory has to be copied. */
    private static final int PIECE_BYTES = 256 << 10;

    private static final int OWNER_MASK = 0700;

    private final Path path;
    private final NioAttributes attributes;
    private final NioChannel channel;
    private final boolean writable;

    /** The status of the file when it was opened; empty for a new file of an archive. */
    private final Optional<LocalStatus> opened;

    private final String what;

    private NioFile(
            Path path,
            NioAttributes attributes,
            NioChannel channel,
            boolean writable,
            Optional<LocalStatus> opened,
            String what) {
        this.path = path;
        this.attributes = attributes;
        this.channel = channel;
        this.writable = writable;
        this.opened = opened;
        this.what = what;
    }

    static NioFile read(Path path, NioAttributes attributes, LocalStatus status, String what)
            throws IOException {
        var channel = NioChannel.open(path, Set.of(StandardOpenOption.READ));
        return new NioFile(path, attributes, channel, false, Optional.of(status), what);
    }

    static NioFile create(Path path, NioAttributes attributes, int mode, String what)
            throws IOException {
        var channel =
                NioChannel.open(
                        path,
                        Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW),
                        attributes.atFirst(mode & OWNER_MASK));
        try {
            attributes.setMode(path, mode);
            return new NioFile(
                    path, attributes, channel, true, Optional.of(attributes.status(path)), what);
        } catch (NoSuchFileException _) {
            // An archive lists a new file only after it is closed.
            return new NioFile(path, attributes, channel, true, Optional.empty(), what);
        } catch (IOException | RuntimeException failure) {
            channel.close();
            throw failure;
        }
    }

    /** An operation that a file system may refuse. */
    private interface Work<R> {
        R run() throws IOException;
    }

    private <R> R use(Work<R> work) throws IOException {
        try {
            return work.run();
        } catch (ClosedByInterruptException interrupted) {
            throw NioFailures.of(interrupted, what);
        } catch (ClosedChannelException closed) {
            throw new IllegalStateException("closed already", closed);
        } catch (IOException | RuntimeException failure) {
            throw NioFailures.of(failure, what);
        }
    }

    @Override
    public LocalStatus status() throws IOException {
        return use(
                () -> {
                    long size = channel.size();
                    var now = attributes.status(path);
                    return opened.isEmpty() || isSame(now) ? now : gone(size);
                });
    }

    private boolean isSame(LocalStatus now) {
        return opened.isPresent()
                && now.device() == opened.get().device()
                && now.inode() == opened.get().inode();
    }

    /** Returns the status at opening with the current size. Another file has taken the name. */
    private LocalStatus gone(long size) {
        var then = opened.orElseThrow();
        return new LocalStatus(
                then.type(),
                then.mode(),
                then.links(),
                then.uid(),
                then.gid(),
                size,
                size,
                then.major(),
                then.minor(),
                then.device(),
                then.inode(),
                then.accessed(),
                then.modified(),
                then.changed());
    }

    @Override
    public int read(MemorySegment target, long offset) throws IOException {
        LocalFileRules.requireToRead(writable, target, offset);
        int room = (int) Math.min(target.byteSize(), Integer.MAX_VALUE - 8);
        if (room == 0) {
            return 0;
        }
        return use(
                () -> {
                    if (channel.acceptsConfinedMemory()) {
                        var buffer = target.asSlice(0, room).asByteBuffer();
                        return Math.max(channel.read(buffer, offset), 0);
                    }
                    var piece = new byte[Math.min(room, PIECE_BYTES)];
                    int read = channel.read(ByteBuffer.wrap(piece), offset);
                    if (read <= 0) {
                        return 0;
                    }
                    MemorySegment.copy(MemorySegment.ofArray(piece), 0, target, 0, read);
                    return read;
                });
    }

    @Override
    public void write(MemorySegment source, long offset) throws IOException {
        LocalFileRules.requireToWrite(writable, source, offset);
        use(
                () -> {
                    long bytes = source.byteSize();
                    for (long done = 0; done < bytes; ) {
                        var piece = source.asSlice(done, Math.min(bytes - done, PIECE_BYTES));
                        writeAll(buffer(piece), offset + done);
                        done += piece.byteSize();
                    }
                    return null;
                });
    }

    private ByteBuffer buffer(MemorySegment piece) {
        if (channel.acceptsConfinedMemory() && piece.isNative()) {
            return piece.asByteBuffer();
        }
        var copy = new byte[(int) piece.byteSize()];
        MemorySegment.copy(piece, 0, MemorySegment.ofArray(copy), 0, copy.length);
        return ByteBuffer.wrap(copy);
    }

    private void writeAll(ByteBuffer source, long offset) throws IOException {
        while (source.hasRemaining()) {
            if (channel.write(source, offset + source.position()) <= 0) {
                throw new LocalException(what, Reason.INPUT_OUTPUT);
            }
        }
    }

    @Override
    public long data(long offset) throws IOException {
        LocalFileRules.requireOffset(offset, 0);
        return use(() -> offset < channel.size() ? offset : -1);
    }

    @Override
    public long hole(long offset) throws IOException {
        LocalFileRules.requireOffset(offset, 0);
        return use(channel::size);
    }

    @Override
    public void resize(long size) throws IOException {
        LocalFileRules.requireWritable(writable);
        LocalFileRules.requireOffset(size, 0);
        use(
                () -> {
                    long now = channel.size();
                    if (size < now) {
                        channel.truncate(size);
                    } else if (size > now) {
                        // A write of the last byte extends the file; the bytes before it are a
                        // hole.
                        writeAll(ByteBuffer.allocate(1), size - 1);
                    }
                    return null;
                });
    }

    @Override
    public void change(LocalChanges changes) throws IOException {
        use(
                () -> {
                    if (opened.isPresent() && !isSame(attributes.status(path))) {
                        throw new LocalException(
                                what, Reason.OTHER, "another file has taken its name");
                    }
                    attributes.change(path, changes, what);
                    return null;
                });
    }

    @Override
    public void finish() throws IOException {
        use(
                () -> {
                    channel.close();
                    return null;
                });
    }

    @Override
    public ExtendedAcls acls() {
        return ExtendedAcls.NONE;
    }

    @Override
    public void setAcls(ExtendedAcls acls) throws LocalException {
        LocalTrees.requireNone(acls, what);
    }

    @Override
    public Optional<UserXattrs> xattrs() {
        return Optional.empty();
    }

    @Override
    public void setXattrs(UserXattrs xattrs, String name) throws LocalException {
        LocalTrees.requireNone(xattrs, name);
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException _) {
            // A caller that needs to know calls finish.
        }
    }
}
