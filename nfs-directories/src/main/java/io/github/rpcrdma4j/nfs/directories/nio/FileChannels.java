package io.github.rpcrdma4j.nfs.directories.nio;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A file with all its open channels, kept or not. Its {@link OpenFiles} guards the mutable fields.
 */
final class FileChannels {
    final Inode inode;

    /**
     * Held while data is forced, until a failure has changed the write verifier. The system may
     * report a loss only once, so a later force without this lock would succeed under the old
     * verifier. A thread that holds it waits only for the storage of this file.
     */
    final ReentrantLock forcing = new ReentrantLock();

    final List<OpenFiles.Use> uses = new ArrayList<>();

    /** The number of calls that force the file through other channels. */
    int guests;

    FileChannels(Inode inode) {
        this.inode = inode;
    }
}
