package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Pairing;
import io.github.rpcrdma4j.rpcrdma.chunk.ReadChunkPlacements;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The bulk results of a captured reply, found in its Write chunks or, by RFC 5666, in its Read
 * chunks. Records each result that is not where its binding wants it, and reads on. Not
 * thread-safe.
 */
final class ResultPlacements implements Placements {
    private final Pairing pairing;
    private final List<WriteChunk> offered;
    private final List<WriteChunk> returned;
    private final ReadChunkPlacements readChunks;
    private final List<String> owners;
    private final boolean isRounded;
    private final Zeros zeros;
    private final List<Finding> findings = new ArrayList<>();

    /** The number of results that were present or could have been. */
    private int ordinal;

    /** The first Write chunk that no result has taken, if results slide. */
    private int next;

    /**
     * @param pairing ORDINAL by the bindings of NFS; SLIDING finds out whether a peer slides
     * @param offered the Write chunks of the call, as many as were returned
     * @param returned the Write chunks of the reply
     * @param readChunks the results in Read chunks
     * @param owners the results that may be in chunks, in order, for a user
     * @param isRounded whether a chunk may be returned with the padding of its item (RFC 5666)
     */
    ResultPlacements(
            Pairing pairing,
            List<WriteChunk> offered,
            List<WriteChunk> returned,
            ReadChunkPlacements readChunks,
            List<String> owners,
            boolean isRounded,
            Zeros zeros) {
        this.pairing = pairing;
        this.offered = offered;
        this.returned = returned;
        this.readChunks = readChunks;
        this.owners = owners;
        this.isRounded = isRounded;
        this.zeros = zeros;
    }

    @Override
    public MemorySegment take(long position, long count) throws XdrException {
        int own = ordinal++;
        var read = readChunks.take(position, count);
        if (read != null) {
            return read;
        }
        return switch (pairing) {
            case ORDINAL -> own(own, count);
            case SLIDING -> slide(own, count);
        };
    }

    private MemorySegment own(int own, long count) {
        if (own >= returned.size() || offered.get(own).size() == 0) {
            return null;
        }
        long filled = returned.get(own).size();
        if (filled == 0) {
            if (count > 0) {
                findings.add(BindingRules.inline(owner(own), own));
            }
            return null;
        }
        if (!fits(filled, count)) {
            findings.add(BindingRules.otherLength(own, filled, owner(own), count));
        }
        return zeros.of(count);
    }

    private MemorySegment slide(int own, long count) {
        while (next < returned.size() && returned.get(next).size() == 0) {
            next++;
        }
        if (count == 0 || next == returned.size() || !fits(returned.get(next).size(), count)) {
            return null;
        }
        if (next != own) {
            findings.add(BindingRules.otherChunk(owner(own), next, own));
        }
        next++;
        return zeros.of(count);
    }

    private boolean fits(long filled, long count) {
        return filled == count || isRounded && filled == XdrWriter.roundUp(count);
    }

    private String owner(int index) {
        return index < owners.size() ? owners.get(index) : "an operation that reads";
    }

    @Override
    public void skipAbsent() {
        int own = ordinal++;
        if (pairing == Pairing.ORDINAL && isFilled(own)) {
            findings.add(BindingRules.filledForNothing(own, owner(own) + " has no result for it"));
        }
    }

    private boolean isFilled(int chunk) {
        return chunk < returned.size() && returned.get(chunk).size() > 0;
    }

    @Override
    public void finish() throws XdrException {
        readChunks.finish();
    }

    /** Returns the faults of the results that were read. */
    List<Finding> findings() {
        return List.copyOf(findings);
    }

    /** Returns the filled chunks that belong to no result that was read, from the first one on. */
    List<Integer> surplus() {
        var surplus = new ArrayList<Integer>();
        for (int i = pairing == Pairing.ORDINAL ? ordinal : next; i < returned.size(); i++) {
            if (isFilled(i)) {
                surplus.add(i);
            }
        }
        return surplus;
    }

    /** Returns whether the operation of a chunk was called. */
    boolean isOwned(int chunk) {
        return chunk < owners.size();
    }
}
