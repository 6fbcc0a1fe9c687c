package io.github.rpcrdma4j.nfs;

import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Pairing;
import java.util.OptionalInt;

/**
 * The row of one procedure in the table of an upper-layer binding (RFC 8267, Section 4).
 *
 * @param arguments number of bulk items in a call
 * @param results number of bulk items in a reply
 * @param resultsBytes bytes of the longest results, counted from the status word, of success or
 *     failure, whichever is longer; bulk items, and all that a count in the arguments bounds, are
 *     left out
 * @param bytesBesideCount present if a count in the arguments bounds one part of the successful
 *     results: the bytes of all other parts
 * @param repeatable whether executing the procedure twice has the effect of executing it once
 */
public record BindingRow(
        int arguments,
        int results,
        int resultsBytes,
        OptionalInt bytesBesideCount,
        boolean repeatable) {
    /**
     * Returns the bytes of the longest results, without the data of bulk items.
     *
     * @param count the count in the arguments, unsigned; ignored if no count bounds the results
     */
    public long resultsMax(int count) {
        return bytesBesideCount.isPresent()
                ? Math.max(
                        resultsBytes, bytesBesideCount.getAsInt() + Integer.toUnsignedLong(count))
                : resultsBytes;
    }

    /**
     * Returns the bulk items of the procedure. The results of a counted row may be fetched by RFC
     * 5666. In version 2 they are not fetched by default, because listings are often long: a Reply
     * chunk saves a round trip (RPR-5.2.2-2).
     */
    public Eligibility eligibility() {
        return new Eligibility(
                arguments, results, bytesBesideCount.isPresent(), false, Pairing.ORDINAL);
    }
}
