package io.github.rpcrdma4j.rpcrdma.chunk;

import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The bulk arguments of a call whose Read chunks are not fetched yet (RFC 8166, Section 3.4.5). A
 * reader can read over them, as for the length of the reply.
 */
public final class AwaitedPlacements implements Placements {
    private final List<ReadSegment> readList;

    private AwaitedPlacements(List<ReadSegment> readList) {
        this.readList = readList;
    }

    /** Returns the placements of the chunks of a Read list. */
    public static Placements of(List<ReadSegment> readList) {
        return readList.isEmpty() ? Placements.NONE : new AwaitedPlacements(readList);
    }

    @Override
    public MemorySegment take(long position, long count) {
        return null;
    }

    /** {@inheritDoc} A chunk holds its item with or without padding (RFC 5666-3.7-4). */
    @Override
    public boolean awaits(long position, long count) {
        long size = 0;
        boolean isFound = false;
        for (int i = 0; i < readList.size(); i++) {
            var segment = readList.get(i);
            if (position != 0 && Integer.toUnsignedLong(segment.position()) == position) {
                isFound = true;
                size += segment.target().size();
            }
        }
        return isFound && (size == count || size == XdrWriter.roundUp(count));
    }

    @Override
    public void skipAbsent() {
        // A chunk that is not fetched yet belongs to no item that is read.
    }

    @Override
    public void finish() {
        // What was read over is not taken.
    }
}
