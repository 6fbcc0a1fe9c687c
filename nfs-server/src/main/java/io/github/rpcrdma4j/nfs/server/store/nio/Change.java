package io.github.rpcrdma4j.nfs.server.store.nio;

import io.github.rpcrdma4j.nfs.server.store.ConcurrentChanges;
import io.github.rpcrdma4j.nfs.server.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.server.store.Node.Changed;

/**
 * A change while the paths of its files hold.
 *
 * @param other a second file; the first again if there is none
 * @param mounts what the caller sees of other file systems
 * @param forcing takes what is to be on storage before the change is answered
 */
record Change(
        NioStore store,
        ResolvedFile file,
        ConcurrentChanges<Inode>.Span span,
        ResolvedFile other,
        ConcurrentChanges<Inode>.Span otherSpan,
        Mounts mounts,
        Forcing forcing) {
    /** What became of the file, and of the change. */
    <T> Changed<T> done(T value) {
        return store.changed(file, span, value);
    }

    /** What became of the second file. */
    Changed<Void> doneToOther() {
        return store.changed(other, otherSpan, null);
    }
}
