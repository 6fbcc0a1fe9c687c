package io.github.rpcrdma4j.nfs.shape;

import java.util.Optional;

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

    /** Returns the bulk item that its results can have. */
    Optional<Shape.Opaque> bulkResult() {
        return ShapeBound.bulkItem(results);
    }

    /** Returns the bound of its results without the data of bulk items. */
    ArgumentBound resultsMax() {
        return new ArgumentBound(results, false);
    }
}
