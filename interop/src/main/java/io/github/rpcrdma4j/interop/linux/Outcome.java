package io.github.rpcrdma4j.interop.linux;

import java.time.Duration;
import java.util.List;

/**
 * What one check of a cell gave.
 *
 * @param passed whether all of it held
 * @param failures what did not
 * @param notes figures worth keeping
 */
record Outcome(
        Cell cell,
        Check check,
        boolean passed,
        List<String> failures,
        List<String> notes,
        Duration took) {
    Outcome {
        failures = List.copyOf(failures);
        notes = List.copyOf(notes);
    }
}
