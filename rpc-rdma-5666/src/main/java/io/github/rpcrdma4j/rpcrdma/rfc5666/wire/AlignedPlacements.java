package io.github.rpcrdma4j.rpcrdma.rfc5666.wire;

import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.XdrException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The placements of the items of an RDMA_MSGP (RFC 5666, Section 3.9). Items in chunks lie where
 * the wrapped placements say; inline items follow their padding in the stream.
 */
public final class AlignedPlacements implements Placements {
    private final Placements chunks;
    private final Alignment alignment;

    private AlignedPlacements(Placements chunks, Alignment alignment) {
        this.chunks = chunks;
        this.alignment = alignment;
    }

    /**
     * Returns the given placements unchanged if nothing is padded, and aligned placements
     * otherwise.
     */
    public static Placements of(Placements chunks, Alignment alignment) {
        return alignment.equals(Alignment.NONE) ? chunks : new AlignedPlacements(chunks, alignment);
    }

    @Override
    public long padding(long at, long count) {
        return alignment.padding(at, count);
    }

    @Override
    public boolean isPadded() {
        return true;
    }

    @Override
    public MemorySegment take(long position, long count) throws XdrException {
        return chunks.take(position, count);
    }

    @Override
    public boolean awaits(long position, long count) {
        return chunks.awaits(position, count);
    }

    @Override
    public List<BulkItem> remaining() {
        return chunks.remaining();
    }

    @Override
    public void skipAbsent() {
        chunks.skipAbsent();
    }

    @Override
    public void finish() throws XdrException {
        chunks.finish();
    }
}
