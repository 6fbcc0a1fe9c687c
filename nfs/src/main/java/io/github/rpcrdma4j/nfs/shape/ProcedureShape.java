package io.github.rpcrdma4j.nfs.shape;

import java.util.Map;
import java.util.OptionalLong;

/**
 * One procedure of a program.
 *
 * @param isRepeatable whether executing it twice has the effect of executing it once
 * @param results its results; if they begin with a status, a union
 */
public record ProcedureShape(
        int number, String name, boolean isRepeatable, Shape arguments, Shape results) {
    /** Returns the number of bulk items that its arguments can have. */
    int bulkArguments() {
        return ShapeBound.bulkItem(arguments).isPresent() ? 1 : 0;
    }

    /** Returns the number of bulk items that its results can have. */
    int bulkResults() {
        return ShapeBound.bulkItem(results).isPresent() ? 1 : 0;
    }

    /**
     * Returns the most bytes of the results without the data of bulk items.
     *
     * @param named the named arguments of the call
     */
    OptionalLong resultsMax(Map<String, Integer> named) {
        return ShapeBound.of(results, named, false);
    }

    /**
     * Returns the most bytes of the bulk item in the results, without padding, or nothing if it has
     * no limit.
     *
     * @param named the named arguments of the call
     */
    OptionalLong dataMax(Map<String, Integer> named) {
        return ShapeBound.dataMax(results, named);
    }
}
