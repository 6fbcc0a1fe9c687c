package io.github.rpcrdma4j.nfs.directories.nio;

import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The files and directories that one change forces to storage before its reply. They are opened
 * while their paths are valid, and forced after the lock on paths is released. The file system
 * alone determines the durability of files that this process cannot open.
 */
final class Forcing implements AutoCloseable {
    private final Storage storage;
    private final boolean forcesDirectories;
    private final OpenFiles openFiles;
    private final List<Opened> channels = new ArrayList<>();

    private record Opened(Inode file, FileChannel channel) {}

    /**
     * @param openFiles coordinates this with other calls that force data of these files
     */
    Forcing(Storage storage, boolean forcesDirectories, OpenFiles openFiles) {
        this.storage = storage;
        this.forcesDirectories = forcesDirectories;
        this.openFiles = openFiles;
    }

    /**
     * Returns whether directories of this file system can be forced.
     *
     * @param root a directory of the file system
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

    /** Adds a directory or a regular file; ignores other types. */
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
     * Waits until all files and directories are on storage.
     *
     * @throws StoreException IO if this fails; the write verifier has then changed
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
                // No data was written through this channel.
            }
        }
    }
}
