package io.github.rpcrdma4j.nfs.server.store.nio;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A file with all its channels that are open, kept or not. Its {@link OpenFiles} guards what
 * changes.
 */
final class OpenFile {
    final Inode inode;

    /**
     * Held while data is brought to storage, until a failure has changed the write verifier: the
     * system may tell of a loss once only, so the next to ask would hear of nothing. Who holds it
     * waits for the storage of this file and for nothing else.
     */
    final ReentrantLock forcing = new ReentrantLock();

    final List<OpenFiles.Use> uses = new ArrayList<>();

    /** How many calls force the file by channels of their own. */
    int guests;

    OpenFile(Inode inode) {
        this.inode = inode;
    }
}
