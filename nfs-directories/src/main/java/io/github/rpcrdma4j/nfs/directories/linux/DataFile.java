package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;

/**
 * A regular file that is open for its data on behalf of one caller. Its {@link DataFiles} guards
 * the mutable fields.
 */
final class DataFile {
    final FileDescriptors file;
    final LinuxNode node;
    final Caller caller;
    final boolean writable;
    final int descriptor;

    /** Whose share it uses. */
    final HostPlace place;

    /** The number of operations that currently use it. */
    int users;

    /** Whether its last user closes it. */
    boolean dropped;

    /** What it waits for to be closed; null if it does not wait. */
    Closings.Turn closing;

    /** When its last user released it, by {@link System#nanoTime}. */
    long unusedSince;

    /**
     * Whether written data is possibly not on storage yet. A writer sets it before and after each
     * write; a sync clears it before it waits for storage.
     */
    volatile boolean dirty;

    /**
     * @param node its reference belongs to this object
     * @param place whose share it uses
     */
    DataFile(
            FileDescriptors file,
            LinuxNode node,
            Caller caller,
            HostPlace place,
            boolean writable,
            int descriptor) {
        this.file = file;
        this.node = node;
        this.caller = caller;
        this.place = place;
        this.writable = writable;
        this.descriptor = descriptor;
    }
}
