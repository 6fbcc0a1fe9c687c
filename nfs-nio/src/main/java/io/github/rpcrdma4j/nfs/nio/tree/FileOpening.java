package io.github.rpcrdma4j.nfs.nio.tree;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.service.AccessRight;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FileIdentity;
import io.github.rpcrdma4j.nfs.client.service.FileService.Opened;
import io.github.rpcrdma4j.nfs.client.service.FileSystemId;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.service.TransferLimits;
import io.github.rpcrdma4j.nfs.nio.channel.AppendTurns;
import io.github.rpcrdma4j.nfs.nio.channel.ChannelFile;
import io.github.rpcrdma4j.nfs.nio.channel.LockTable;
import io.github.rpcrdma4j.nfs.nio.channel.NfsFileChannel;
import io.github.rpcrdma4j.nfs.nio.channel.OpenWish;
import io.github.rpcrdma4j.nfs.nio.path.PathText;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Opens files of a server as channels. Thread-safe.
 *
 * <p>Tests: {@code ChannelContract}, {@code ProviderContract}.
 */
public final class FileOpening implements AutoCloseable {
    /** What is kept of memory that was lent, in bytes. */
    private static final long POOL_BYTES = 32 << 20;

    private final ServerTree tree;
    private final SegmentPool pool = new SegmentPool(POOL_BYTES);
    private final LockTable locks = new LockTable();
    private final AppendTurns turns = new AppendTurns();
    private final Map<FileSystemId, TransferLimits> limits = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();
    private final Map<Long, NfsFileChannel> open = new ConcurrentSkipListMap<>();

    /** Opens files of a tree. */
    public FileOpening(ServerTree tree) {
        this.tree = tree;
    }

    /** A directory needs no open file: only its handle is used. */
    private record Directory(FileHandle handle) implements OpenFile {
        @Override
        public void close() {}
    }

    /** An open file, and where its name is, if it has one. */
    private record At(Opened opened, Optional<RemotePlace> place) {}

    /**
     * Opens a file.
     *
     * @param mode the permissions of a new file
     */
    public NfsFileChannel open(PathText path, OpenWish wish, int mode) throws IOException {
        return ServerTree.run(path, () -> channel(path, wish, opened(path, wish, mode)));
    }

    private At opened(PathText path, OpenWish wish, int mode)
            throws IOException, InterruptedException {
        var what = ServerTree.what(wish.writes() ? "write" : "read", path);
        if (wish.isNew()) {
            var place = tree.place(path);
            return made(place, AttributeChanges.ofMode(mode), wish, what);
        }
        var target = target(path, wish);
        if (target.file().isPresent()) {
            return new At(existing(target.file().get(), path, wish, what), target.place());
        }
        if (!wish.creates()) {
            throw new NfsException(what, Status.NOENT);
        }
        var attributes = AttributeChanges.ofMode(mode);
        // Another client may have made and filled it meanwhile.
        return made(
                target.place().orElseThrow(),
                wish.truncates() ? attributes.withSize(0) : attributes,
                wish,
                what);
    }

    private At made(RemotePlace place, AttributeChanges attributes, OpenWish wish, String what)
            throws IOException, InterruptedException {
        var made = tree.service().makeOpen(place, attributes, wish.isNew(), wish.mode(), what);
        return new At(made, Optional.of(place));
    }

    private NfsMount.Target target(PathText path, OpenWish wish)
            throws IOException, InterruptedException {
        if (wish.followsLinks() || path.count() == 0) {
            return tree.mount().target(path.bytes());
        }
        var place = tree.place(path);
        var found = tree.service().find(place, ServerTree.what("find", path));
        if (found.isPresent() && found.get().attributes().type() == FileType.SYMBOLIC_LINK) {
            throw new FileSystemException(path.toString(), null, "is a symbolic link");
        }
        return new NfsMount.Target(Optional.of(place), found);
    }

    private Opened existing(RemoteFile file, PathText path, OpenWish wish, String what)
            throws IOException, InterruptedException {
        if (file.attributes().isDirectory()) {
            if (wish.writes()) {
                throw new NfsException(what, Status.ISDIR);
            }
            return new Opened(new Directory(file.handle()), file);
        }
        if (!tree.service().checksOpens()) {
            requireRights(file, wish, what);
        }
        var opened = tree.service().open(file.handle(), wish.mode(), what);
        boolean isDone = false;
        try {
            if (wish.truncates()) {
                tree.service().truncate(opened, 0, what);
            }
            isDone = true;
            return new Opened(opened, file);
        } finally {
            if (!isDone) {
                opened.close();
            }
        }
    }

    private void requireRights(RemoteFile file, OpenWish wish, String what)
            throws IOException, InterruptedException {
        var rights = EnumSet.noneOf(AccessRight.class);
        if (wish.reads()) {
            rights.add(AccessRight.READ);
        }
        if (wish.writes()) {
            rights.add(AccessRight.MODIFY);
            rights.add(AccessRight.EXTEND);
        }
        tree.requireRights(file, rights, what);
    }

    private NfsFileChannel channel(PathText path, OpenWish wish, At at)
            throws IOException, InterruptedException {
        var file = at.opened().file();
        boolean isDone = false;
        try {
            var identity = FileIdentity.of(file.attributes());
            var channelFile =
                    new ChannelFile(
                            tree.service(),
                            at.opened().open(),
                            path.bytes().escaped(),
                            identity,
                            file.attributes().isDirectory(),
                            file.attributes().size(),
                            limits(file),
                            pool);
            long number = numbers.incrementAndGet();
            NfsFileChannel.AfterClose afterClose =
                    () -> {
                        open.remove(number);
                        if (wish.deletes() && at.place().isPresent()) {
                            tree.removeIfSame(at.place().get(), identity, path);
                        }
                    };
            var channel = new NfsFileChannel(channelFile, wish, locks, turns, afterClose);
            open.put(number, channel);
            isDone = true;
            return channel;
        } finally {
            if (!isDone) {
                at.opened().open().close();
            }
        }
    }

    private TransferLimits limits(RemoteFile file) throws IOException, InterruptedException {
        var known = limits.get(file.attributes().fileSystem());
        if (known != null) {
            return known;
        }
        var told = tree.service().limits(file.handle());
        limits.put(file.attributes().fileSystem(), told);
        return told;
    }

    /** Returns how many open channels lend memory. */
    public int leasedMemory() {
        return pool.leased();
    }

    /** Closes all channels. The first failure is thrown when all are closed. */
    @Override
    public void close() throws IOException {
        IOException failure = null;
        for (var each : open.values()) {
            try {
                each.close();
            } catch (IOException failed) {
                failure = failure == null ? failed : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
