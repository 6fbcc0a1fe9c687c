package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * The result of a COMPOUND: {@code COMPOUND4res} (RFC 8881, Section 16.2). A client decodes it. A
 * server writes the {@link Header} first, then the results, and then completes the header.
 *
 * <pre>
 *   status(32) | tag | count(32) | results
 * </pre>
 *
 * @param status that of the last operation, or why none was carried out
 */
public record CompoundResult(Nfs4Status status, OpaqueName tag, List<Result> results) {
    public CompoundResult {
        results = List.copyOf(results);
    }

    /**
     * What is in front of the results, while these are being written. Not thread-safe.
     *
     * <p>The transport must not place the message before {@link #complete}.
     */
    public static final class Header {
        private final XdrWriter out;
        private final long status;
        private final long count;

        /**
         * Writes the header of an empty success.
         *
         * @param tag that of the arguments
         */
        public Header(XdrWriter out, OpaqueName tag) {
            this.out = out;
            this.status = out.reducedLength();
            tag.encode(out.uint32(Nfs4Status.OK.number()));
            this.count = out.reducedLength();
            out.uint32(0);
        }

        /**
         * Writes the outcome into the header.
         *
         * @param outcome the status of the last result
         * @param results the number of results behind the header
         */
        public void complete(Nfs4Status outcome, int results) {
            out.overwrite(status, outcome.number()).overwrite(count, results);
        }
    }

    /**
     * Reads a whole message.
     *
     * @param in as for {@link Result#decode}
     * @throws XdrException if it is malformed, or if bytes remain after it
     */
    public static CompoundResult decode(XdrReader in) throws XdrException {
        var status = Result.decodeStatus(in);
        var tag = OpaqueName.decode(in);
        int count = in.count(2 * Integer.BYTES, Integer.MAX_VALUE);
        var results = new ArrayList<Result>(count);
        for (int i = 0; i < count; i++) {
            results.add(Result.decode(in));
        }
        in.finish();
        return new CompoundResult(status, tag, results);
    }

    public void encode(XdrWriter out) {
        var header = new Header(out, tag);
        results.forEach(each -> each.encode(out));
        header.complete(status, results.size());
    }
}
