package io.github.rpcrdma4j.rpcrdma.chunk;

import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Pairing;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.XdrException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.LongUnaryOperator;

/**
 * The bulk results of a reply, found in its Write chunks. The binding pairs each result with a
 * Write chunk (RFC 5666-3.6-5).
 */
public final class WriteChunkPlacements implements Placements {
    private final List<WriteChunk> returned;
    private final List<MemorySegment> targets;
    private final Pairing pairing;
    private final LongUnaryOperator paddedLength;
    private int next;

    /** Creates placements for a reply by RFC 8166, whose segment lengths are exact. */
    public WriteChunkPlacements(
            List<WriteChunk> returned, List<MemorySegment> targets, Pairing pairing) {
        this(returned, targets, pairing, LongUnaryOperator.identity());
    }

    /**
     * @param returned the Write list of the reply, which {@linkplain #answers answers} the offer
     * @param targets the offered memory, one segment for each chunk
     * @param pairing the rule that pairs results with chunks
     * @param paddedLength maps the bytes written to the greatest length that a returned segment may
     *     have
     */
    public WriteChunkPlacements(
            List<WriteChunk> returned,
            List<MemorySegment> targets,
            Pairing pairing,
            LongUnaryOperator paddedLength) {
        this.returned = returned;
        this.targets = targets;
        this.pairing = pairing;
        this.paddedLength = paddedLength;
    }

    /** Returns whether a returned chunk answers an offered one by RFC 8166. */
    public static boolean answers(WriteChunk returned, WriteChunk offered) {
        return answers(returned, offered, LongUnaryOperator.identity());
    }

    /**
     * Returns whether a returned chunk answers an offered one. It must have the offered segments,
     * filled in order, none beyond its length (RFC 8166, Sections 3.4.6 and 3.4.6.1). A chunk
     * without segments answers as an unused one.
     *
     * @param paddedLength maps the bytes written to the greatest length that a returned segment may
     *     have
     */
    public static boolean answers(
            WriteChunk returned, WriteChunk offered, LongUnaryOperator paddedLength) {
        var filled = returned.segments();
        if (filled.isEmpty()) {
            return true;
        }
        if (filled.size() != offered.segments().size()) {
            return false;
        }
        boolean mustBeZero = false;
        for (int i = 0; i < filled.size(); i++) {
            var have = filled.get(i);
            var had = offered.segments().get(i);
            if (have.handle() != had.handle()
                    || have.offset() != had.offset()
                    || have.size() > paddedLength.applyAsLong(had.size())
                    || (mustBeZero && have.size() > 0)) {
                return false;
            }
            mustBeZero |= have.size() < had.size();
        }
        return true;
    }

    /** Returns whether a returned Write list answers an offered one by RFC 8166, chunk by chunk. */
    public static boolean answers(List<WriteChunk> returned, List<WriteChunk> offered) {
        return answers(returned, offered, LongUnaryOperator.identity());
    }

    /** Returns whether a returned Write list answers an offered one, chunk by chunk. */
    public static boolean answers(
            List<WriteChunk> returned, List<WriteChunk> offered, LongUnaryOperator paddedLength) {
        if (returned.size() != offered.size()) {
            return false;
        }
        for (int i = 0; i < returned.size(); i++) {
            if (!answers(returned.get(i), offered.get(i), paddedLength)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public MemorySegment take(long position, long count) throws XdrException {
        if (next == returned.size()) {
            return null;
        }
        var chunk = returned.get(next);
        var target = targets.get(next);
        next++;
        long size = chunk.size();
        if (size == count || size == paddedLength.applyAsLong(count)) {
            // Bytes of the target beyond the item are undefined (RFC 5666-3.4-14, 8166-4.3.2.2-4).
            return target.asSlice(0, count);
        }
        if (size == 0 && target.byteSize() == 0) {
            return null;
        }
        // RFC 8166-6.1-4, 5666-3.4-9.
        throw new XdrException(
                size == 0
                        ? "a result with a Write chunk arrived inline"
                        : "a Write chunk is not as long as its item");
    }

    @Override
    public void skipAbsent() {
        // With the other pairing, the next result uses this chunk (RFC 8166-4.3.2.2-1).
        if (pairing == Pairing.ORDINAL && next < returned.size()) {
            next++;
        }
    }

    @Override
    public void finish() throws XdrException {
        for (; next < returned.size(); next++) {
            // RFC 8166-6.1-3.
            if (returned.get(next).size() != 0) {
                throw new XdrException("a Write chunk was filled that belongs to no item");
            }
        }
    }
}
