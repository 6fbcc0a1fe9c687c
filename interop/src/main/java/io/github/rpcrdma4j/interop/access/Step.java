package io.github.rpcrdma4j.interop.access;

import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import java.util.List;
import java.util.Optional;

/**
 * One COMPOUND of a case.
 *
 * @param words the text for a line of the table
 * @param by who sends it; empty for the caller of the case
 * @param isRequired whether the case ends if it fails
 * @param path the file whose handle a GETFH of the COMPOUND returns
 * @param keeps as what its OPEN or LOCK gives a stateid
 */
record Step(
        String words,
        Optional<Caller> by,
        boolean isRequired,
        String path,
        Held keeps,
        Build build) {
    /** Makes the operations of a COMPOUND, without SEQUENCE. */
    interface Build {
        List<Arguments> from(Holding holding);
    }

    static Step of(String words, Build build) {
        return new Step(words, Optional.empty(), false, ".", Held.OPEN, build);
    }

    /** Returns this step, sent by another caller. */
    Step by(Caller caller) {
        return new Step(
                words + " as " + caller.name(),
                Optional.of(caller),
                isRequired,
                path,
                keeps,
                build);
    }

    /** Returns this step, without which the case ends. */
    Step required() {
        return new Step(words, by, true, path, keeps, build);
    }

    Step gives(String file, Held stateId) {
        return new Step(words, by, isRequired, file, stateId, build);
    }
}
