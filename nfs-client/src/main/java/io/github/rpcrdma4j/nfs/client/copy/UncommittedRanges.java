package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.copy.RangeTransfer.FileRange;
import io.github.rpcrdma4j.nfs.client.file.StableWrite;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.Written;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The written ranges of a file of a server that are not known to be on stable storage. If the write
 * verifier shows that the server restarted in between (RFC 1813, Section 3.3.7), the affected
 * ranges are written again. Thread-safe.
 */
final class UncommittedRanges {
    private record Uncommitted(FileRange range, long verifier) {}

    private final CopyContext context;
    private final OpenFile file;
    private final String what;

    /** Guarded by this. */
    private final List<Uncommitted> ranges = new ArrayList<>();

    /**
     * Begins without a range.
     *
     * @param what for messages: {@code "cannot write /a/b"}
     */
    UncommittedRanges(CopyContext context, OpenFile file, String what) {
        this.context = context;
        this.file = file;
        this.what = what;
    }

    /** Adds a written range, unless the reply shows that it is on stable storage. */
    void written(FileRange range, Written reply) {
        if (reply.stability() == Stability.UNSTABLE) {
            synchronized (this) {
                ranges.add(new Uncommitted(range, reply.verifier()));
            }
        }
    }

    private synchronized boolean isEmpty() {
        return ranges.isEmpty();
    }

    /**
     * Commits all ranges, and writes those again that the server has lost.
     *
     * @param direction writes ranges
     * @param longest the longest range, in bytes
     * @param calls the most outstanding calls
     */
    void commit(RangeTransfer.Direction direction, long longest, int calls)
            throws IOException, InterruptedException {
        for (int round = 1; !isEmpty(); round++) {
            var unwritten = commit(longest);
            if (round == StableWrite.ROUNDS_MAX && !unwritten.isEmpty()) {
                throw StableWrite.lost(what);
            }
            RangeTransfer.move(context, unwritten::pollFirst, longest, calls, direction);
        }
    }

    /** Commits all ranges once, and returns in parts those that must be written again. */
    private ArrayDeque<FileRange> commit(long longest) throws IOException, InterruptedException {
        long verifier = context.service().commit(file, 0, 0, what);
        var lost = new ArrayDeque<FileRange>();
        synchronized (this) {
            for (var each : ranges) {
                if (each.verifier != verifier) {
                    split(each.range, longest, lost);
                    context.listener().lost(each.range.length());
                }
            }
            ranges.clear();
        }
        return lost;
    }

    private static void split(FileRange range, long longest, ArrayDeque<FileRange> parts) {
        long end = range.from() + range.length();
        for (long at = range.from(); at < end; at += longest) {
            parts.add(new FileRange(at, Math.min(longest, end - at)));
        }
    }
}
