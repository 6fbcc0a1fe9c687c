package io.github.rpcrdma4j.nfs.directories.nio;

import io.github.rpcrdma4j.nfs.directories.common.ConcurrentChanges;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.Node.Changed;

/**
 * A change in progress, while the paths of its files are valid.
 *
 * @param other a second file; equal to the first if there is none
 * @param mounts the view of the caller on other file systems
 * @param forcing collects the files to force to storage before the reply
 */
record Change(
        NioStore store,
        ResolvedFile file,
        ConcurrentChanges<Inode>.Span span,
        ResolvedFile other,
        ConcurrentChanges<Inode>.Span otherSpan,
        Mounts mounts,
        Forcing forcing) {
    /** Returns the result of the change and the attributes of the first file. */
    <T> Changed<T> done(T value) {
        return store.changed(file, span, value);
    }

    /** Returns the attributes of the second file. */
    Changed<Void> doneToOther() {
        return store.changed(other, otherSpan, null);
    }
}
