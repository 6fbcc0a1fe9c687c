package io.github.rpcrdma4j.nfs;

import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Pairing;
import java.util.OptionalInt;

/**
 * What a binding says of one procedure (RFC 8267, Section 4).
 *
 * @param arguments eligible items of a call
 * @param results eligible items of a reply
 * @param resultsBytes bytes of the longest results from the status word on, the longer of success
 *     and failure, without the data of eligible items and without what a count bounds
 * @param besideCount where a count among the arguments bounds a part of the results of success: the
 *     bytes that those have beside that part
 * @param repeatable whether carrying it out twice is the same as once
 */
public record BindingRow(
        int arguments, int results, int resultsBytes, OptionalInt besideCount, boolean repeatable) {
    /** A row of results that no count bounds. */
    public static BindingRow fixed(
            int arguments, int results, int resultsBytes, boolean repeatable) {
        return new BindingRow(arguments, results, resultsBytes, OptionalInt.empty(), repeatable);
    }

    /** A row of a procedure that lists as much as a count allows. */
    public static BindingRow counted(int resultsBytes, int besideCount) {
        return new BindingRow(0, 0, resultsBytes, OptionalInt.of(besideCount), true);
    }

    /**
     * The bytes of the longest results, without the data of eligible items.
     *
     * @param count the count of the arguments, unsigned; of no effect where no count bounds
     */
    public long resultsMax(int count) {
        return besideCount.isPresent()
                ? Math.max(resultsBytes, besideCount.getAsInt() + Integer.toUnsignedLong(count))
                : resultsBytes;
    }

    /** The items that RPC-over-RDMA may reduce; a list is mostly shorter than its count allows. */
    public Eligibility eligibility() {
        return new Eligibility(arguments, results, false, besideCount.isPresent(), Pairing.ORDINAL);
    }
}
