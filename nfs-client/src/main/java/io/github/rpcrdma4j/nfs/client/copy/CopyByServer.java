package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.client.copy.RangeTransfer.FileRange;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileSystemId;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Lets a server copy the bytes of a file to another file of it, so that they do not pass through
 * this machine: by sharing their storage, or else range by range.
 *
 * <p>Tests: {@code VersionsOfCopiesTest}.
 */
final class CopyByServer {
    /** What file systems have refused. Thread-safe. */
    static final class Refused {
        private final Set<FileSystemId> sharing = ConcurrentHashMap.newKeySet();
        private final Set<FileSystemId> copying = ConcurrentHashMap.newKeySet();
    }

    private final CopyContext context;
    private final FileSystemId fileSystem;
    private final OpenFile from;
    private final OpenFile to;
    private final long size;
    private final boolean hasHoles;
    private final UncommittedRanges uncommitted;
    private final String reading;
    private final String writing;

    /** How many bytes the user was told of. */
    private long told;

    /**
     * @param fileSystem that of the source
     * @param to an empty file
     * @param size of the source, in bytes
     * @param hasHoles whether the source has holes, which are left out
     * @param uncommitted receives what is not on stable storage
     * @param reading for messages: {@code "cannot read /a/b"}
     * @param writing for messages: {@code "cannot write /a/c"}
     */
    CopyByServer(
            CopyContext context,
            FileSystemId fileSystem,
            OpenFile from,
            OpenFile to,
            long size,
            boolean hasHoles,
            UncommittedRanges uncommitted,
            String reading,
            String writing) {
        this.context = context;
        this.fileSystem = fileSystem;
        this.from = from;
        this.to = to;
        this.size = size;
        this.hasHoles = hasHoles;
        this.uncommitted = uncommitted;
        this.reading = reading;
        this.writing = writing;
    }

    /**
     * Copies all bytes.
     *
     * @return false if the server cannot: the target is empty again then
     */
    boolean run() throws IOException, InterruptedException {
        if (isShared() || isCopied()) {
            return true;
        }
        if (told > 0) {
            context.listener().lost(told);
            var empty = AttributeChanges.ofSize(0);
            context.mount().change(to.handle(), empty, writing);
        }
        return false;
    }

    private void tell(long bytes) {
        told += bytes;
        context.listener().copied(bytes);
    }

    /** A server may have told of more than it has copied in the end. */
    private void tellUpTo(long bytes) {
        if (bytes < told) {
            context.listener().lost(told - bytes);
            told = bytes;
        } else if (bytes > told) {
            tell(bytes - told);
        }
    }

    private boolean isShared() throws IOException, InterruptedException {
        var refused = context.refused().sharing;
        if (refused.contains(fileSystem)) {
            return false;
        }
        // The reply has no verifier. A server that is the same before and behind it has not lost
        // anything between.
        long before = context.service().commit(to, 0, 0, writing);
        if (!context.service().share(from, to, writing)) {
            refused.add(fileSystem);
            return false;
        }
        tell(size);
        return context.service().commit(to, 0, 0, writing) == before;
    }

    private boolean isCopied() throws IOException, InterruptedException {
        var refused = context.refused().copying;
        if (refused.contains(fileSystem)) {
            return false;
        }
        for (long at = 0; at < size; ) {
            var range = nextData(at);
            if (range.isEmpty() || !isCopied(range.get())) {
                refused.add(fileSystem);
                return false;
            }
            long end = range.get().from() + range.get().length();
            tell(end - at - range.get().length());
            at = end;
        }
        return true;
    }

    /** Returns the next range with data, with the hole before it; empty if it cannot be found. */
    private Optional<FileRange> nextData(long at) throws IOException, InterruptedException {
        if (!hasHoles) {
            return Optional.of(new FileRange(at, size - at));
        }
        var data = context.service().seek(from, at, true, reading);
        if (data.isEmpty() || data.getAsLong() >= size) {
            return data.isEmpty() ? Optional.empty() : Optional.of(new FileRange(size, 0));
        }
        var hole = context.service().seek(from, data.getAsLong(), false, reading);
        if (hole.isEmpty()) {
            return Optional.empty();
        }
        long end = Math.min(size, hole.getAsLong());
        return Optional.of(new FileRange(data.getAsLong(), end - data.getAsLong()));
    }

    private boolean isCopied(FileRange range) throws IOException, InterruptedException {
        long end = range.from() + range.length();
        for (long at = range.from(); at < end; ) {
            long count = end - at;
            long before = told;
            var copied =
                    context.service()
                            .copy(from, to, at, count, writing, bytes -> tellUpTo(before + bytes));
            if (copied.isEmpty()) {
                return false;
            }
            long moved = FileGet.requireSome(copied.get().count(), count, reading);
            uncommitted.written(new FileRange(at, moved), copied.get());
            tellUpTo(before + moved);
            at += moved;
        }
        return true;
    }
}
