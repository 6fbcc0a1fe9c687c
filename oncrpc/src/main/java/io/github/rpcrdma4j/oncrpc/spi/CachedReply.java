package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The results of one call as its program encoded them, without transport or verifier. Bulk results
 * are kept as data, regardless of how they travelled. The results can therefore be sent again over
 * another transport, with other chunks and another protection.
 *
 * @param stream the results without their bulk items; empty unless the call succeeded
 */
record CachedReply(AcceptStatus status, MemorySegment stream, List<CachedBulkItem> items) {
    /** The longest results that the server keeps, in bytes. */
    static final long BYTES_MAX = 64 << 10;

    private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

    /**
     * A bulk result.
     *
     * @param offset where its data would start in the stream
     * @param ordinal the number of results that precede or could have preceded it
     * @param operation where its operation starts in the call
     */
    record CachedBulkItem(long offset, MemorySegment data, int ordinal, long operation) {}

    /** Returns a refusal, which has no results. */
    static CachedReply refusal(AcceptStatus status) {
        return new CachedReply(status, NOTHING, List.of());
    }

    /**
     * Returns a copy of results.
     *
     * @param from where they begin in the reduced stream of the writer
     * @return empty if they are too long to be kept
     */
    static Optional<CachedReply> copy(XdrWriter results, long from) {
        var stream = results.reducedStream().asSlice(from);
        long bytes = stream.byteSize();
        for (var item : results.bulkItems()) {
            bytes += item.data().byteSize();
        }
        if (bytes > BYTES_MAX) {
            return Optional.empty();
        }
        var items = new ArrayList<CachedBulkItem>(results.bulkItems().size());
        long apart = from;
        for (var item : results.bulkItems()) {
            long offset = item.position() - apart;
            items.add(
                    new CachedBulkItem(
                            offset, copy(item.data()), item.ordinal(), item.operation()));
            apart += item.paddedLength();
        }
        return Optional.of(new CachedReply(AcceptStatus.SUCCESS, copy(stream), items));
    }

    private static MemorySegment copy(MemorySegment bytes) {
        return MemorySegment.ofArray(bytes.toArray(ValueLayout.JAVA_BYTE));
    }

    /** Returns the bytes of memory that the results take. */
    long bytes() {
        long bytes = stream.byteSize();
        for (var item : items) {
            bytes += item.data.byteSize();
        }
        return bytes;
    }

    /** Writes the results as the program did. */
    void writeTo(XdrWriter results) {
        long from = 0;
        int ordinal = 0;
        for (var item : items) {
            for (; ordinal < item.ordinal; ordinal++) {
                results.absentBulk();
            }
            // A length word, if there is one, is in the stream.
            results.fixedOpaque(stream.asSlice(from, item.offset - from));
            results.operation(item.operation).fixedBulk(item.data);
            ordinal++;
            from = item.offset;
        }
        results.fixedOpaque(stream.asSlice(from));
    }
}
