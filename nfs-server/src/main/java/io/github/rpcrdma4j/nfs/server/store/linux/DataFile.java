package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.nfs.server.store.Caller;

/**
 * A regular file that is open for its data on behalf of one caller. Its {@link DataFiles} guards
 * the mutable fields.
 */
final class DataFile {
    final OpenFile file;
    final LinuxNode node;
    final Caller caller;
    final boolean writable;
    final int descriptor;

    /** The number of operations that currently use it. */
    int users;

    /** Whether its last user closes it. */
    boolean dropped;

    /** When its last user released it, by {@link System#nanoTime}. */
    long unusedSince;

    /**
     * Whether written data is possibly not on storage yet. A writer sets it before and after each
     * write; a sync clears it before it waits for storage.
     */
    volatile boolean dirty;

    /**
     * @param node its reference belongs to this object
     */
    DataFile(OpenFile file, LinuxNode node, Caller caller, boolean writable, int descriptor) {
        this.file = file;
        this.node = node;
        this.caller = caller;
        this.writable = writable;
        this.descriptor = descriptor;
    }
}
