package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.copy.RangeTransfer.FileRange;
import io.github.rpcrdma4j.nfs.client.file.Modes;
import io.github.rpcrdma4j.nfs.client.file.StableWrite;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Writes a small file with the call that makes it, and what that call leaves as {@link FilePut}
 * does. For one copy.
 *
 * <p>Tests: {@code VersionsOfCopiesTest}, {@code CopiesTest}.
 */
final class SmallPut {
    /** The largest file that is small, in bytes. */
    private static final long SIZE_MAX = 256 << 10;

    private final CopyContext context;
    private final SourceBytes source;
    private final String what;

    /** How many bytes the first call has written; negative before it. */
    private long written = -1;

    /**
     * @param what for messages: {@code "cannot write /a/b"}
     */
    SmallPut(CopyContext context, SourceBytes source, String what) {
        this.context = context;
        this.source = source;
        this.what = what;
    }

    /** Returns whether a file can be written like this. */
    static boolean fits(CopyContext context, SourceBytes source) {
        long size = source.status().size();
        // The call has its other arguments beside the bytes.
        return context.service().makesFilled()
                && size > 0
                && size <= Math.min(SIZE_MAX, context.writeMax() / 2)
                && source.isDense();
    }

    /** Makes the file with its bytes; empty if it has none or no memory is left for them. */
    Optional<TemporaryFile> make(RemotePlace place) throws IOException, InterruptedException {
        long size = source.status().size();
        context.rate().take(size);
        try (var lease = context.pool().lease(size)) {
            long length = source.fill(new FileRange(0, size), lease.whole().asSlice(0, size));
            return length == 0
                    ? Optional.empty()
                    : Optional.of(make(place, lease.whole().asSlice(0, length)));
        } catch (BudgetExhaustedException _) {
            return Optional.empty();
        }
    }

    private TemporaryFile make(RemotePlace place, MemorySegment bytes)
            throws IOException, InterruptedException {
        var mode = AttributeChanges.ofMode(Modes.FILLING_FILE);
        var filled =
                WorkerGroup.runUninterrupted(
                        () -> context.service().makeFilled(place, mode, bytes, what));
        long count = StableWrite.count(filled.written(), bytes.byteSize(), what);
        // Without stable storage the bytes could be lost before this side hears of it.
        written = filled.written().stability() == Stability.UNSTABLE ? 0 : count;
        context.listener().copied(written);
        return TemporaryFile.of(filled);
    }

    /** Returns whether the file was made with its bytes. */
    boolean isBegun() {
        return written >= 0;
    }

    /** Writes what is left. Returns the length of the file, in bytes. */
    long fill(FileHandle file) throws IOException, InterruptedException {
        if (written < source.end()) {
            new FilePut(context, source, file, what)
                    .run(context.outstanding(), written, source.status().size());
        }
        return source.end();
    }
}
