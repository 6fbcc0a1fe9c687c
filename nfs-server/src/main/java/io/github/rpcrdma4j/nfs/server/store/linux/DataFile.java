package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.nfs.server.store.Caller;

/**
 * A regular file that is open for its data, as one caller opened it. Its {@link DataFiles} guards
 * what changes.
 */
final class DataFile {
    final OpenFile file;
    final LinuxNode node;
    final Caller caller;
    final boolean writable;
    final int descriptor;

    /** What the caller was granted when the file was opened. */
    final Grant grant;

    /** Operations that use it now. */
    int users;

    /** Whether it is closed when its last user is done. */
    boolean dropped;

    /** When its last user was done, by {@link System#nanoTime}. */
    long unusedSince;

    /**
     * Whether something was written that may not be on storage yet. It is set before and after each
     * write, and cleared before storage is waited for.
     */
    volatile boolean dirty;

    /**
     * @param node with a reference that belongs to this object
     */
    DataFile(
            OpenFile file,
            LinuxNode node,
            Caller caller,
            boolean writable,
            int descriptor,
            Grant grant) {
        this.file = file;
        this.node = node;
        this.caller = caller;
        this.writable = writable;
        this.descriptor = descriptor;
        this.grant = grant;
    }
}
