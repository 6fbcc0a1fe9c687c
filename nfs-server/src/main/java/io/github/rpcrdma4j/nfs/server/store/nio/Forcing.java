package io.github.rpcrdma4j.nfs.server.store.nio;

import io.github.rpcrdma4j.nfs.server.store.Failure;
import io.github.rpcrdma4j.nfs.server.store.Node.Storage;
import io.github.rpcrdma4j.nfs.server.store.StoreException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * What one change brings to storage before it is answered. Files and directories are opened while
 * their paths hold, and forced when others may have the paths again. What this process may not open
 * is as safe as the file system makes it by itself.
 */
final class Forcing implements AutoCloseable {
    private final Storage storage;
    private final boolean forcesDirectories;
    private final OpenFiles openFiles;
    private final List<Opened> channels = new ArrayList<>();

    private record Opened(Inode file, FileChannel channel) {}

    /**
     * @param openFiles those whose data may be brought to storage at the same time
     */
    Forcing(Storage storage, boolean forcesDirectories, OpenFiles openFiles) {
        this.storage = storage;
        this.forcesDirectories = forcesDirectories;
        this.openFiles = openFiles;
    }

    /**
     * Whether directories of this file system can be forced.
     *
     * @param root one of them
     */
    static boolean canForce(Path root) {
        try (var channel = FileChannel.open(root, StandardOpenOption.READ)) {
            channel.force(true);
            return true;
        } catch (IOException | RuntimeException _) {
            return false;
        }
    }

    void directory(ResolvedFile directory) {
        if (forcesDirectories) {
            add(directory, StandardOpenOption.READ);
        }
    }

    /** Forces a directory or a regular file. */
    void file(ResolvedFile file) {
        if (file.attributes().isDirectory()) {
            directory(file);
        } else if (file.attributes().isRegular() && !add(file, StandardOpenOption.READ)) {
            add(file, StandardOpenOption.WRITE);
        }
    }

    private boolean add(ResolvedFile file, StandardOpenOption how) {
        if (storage == Storage.ASYNC) {
            return true;
        }
        try {
            var channel = FileChannel.open(file.path(), how, LinkOption.NOFOLLOW_LINKS);
            channels.add(new Opened(file.inode(), channel));
            return true;
        } catch (IOException | UnsupportedOperationException _) {
            return false;
        }
    }

    /**
     * Waits until all of it is on storage.
     *
     * @throws StoreException IO; the write verifier is another one then
     */
    void force() throws StoreException {
        try {
            for (var each : channels) {
                openFiles.force(each.file, each.channel);
            }
        } catch (IOException failure) {
            throw new StoreException(Failure.IO, "a change is not on storage: " + failure);
        }
    }

    @Override
    public void close() {
        for (var each : channels) {
            try {
                each.channel.close();
            } catch (IOException _) {
                // It was only read.
            }
        }
    }
}
