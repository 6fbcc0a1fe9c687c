package io.github.rpcrdma4j.interop.access;

import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import java.util.List;
import java.util.Optional;

/**
 * One COMPOUND of a case.
 *
 * @param words the text for a line of the table
 * @param by who sends it; empty for the caller of the case
 * @param client who sends it
 * @param needs without what the case ends
 * @param path the file whose handle a GETFH of the COMPOUND returns
 * @param keeps as what its OPEN or LOCK gives a stateid
 */
record Step(
        String words,
        Optional<Caller> by,
        Client client,
        Needs needs,
        String path,
        Held keeps,
        Build build) {
    /** The client that sends a COMPOUND. */
    enum Client {
        /** The client of the case. */
        SAME,
        /** Another one, which has a session of version 4.2, and no delegations. */
        OTHER
    }

    /** What a case needs of a step to go on. */
    enum Needs {
        NOTHING,
        SUCCESS,
        /** Success, and a delegation. */
        DELEGATION
    }

    /** Makes the operations of a COMPOUND, without SEQUENCE. */
    interface Build {
        List<Arguments> from(Holding holding);
    }

    static Step of(String words, Build build) {
        return new Step(words, Optional.empty(), Client.SAME, Needs.NOTHING, ".", Held.OPEN, build);
    }

    /** Returns this step, sent by another caller. */
    Step by(Caller caller) {
        return new Step(
                words + " as " + caller.name(),
                Optional.of(caller),
                client,
                needs,
                path,
                keeps,
                build);
    }

    /** Returns this step, sent by another client. */
    Step elsewhere() {
        return new Step(words + " by another client", by, Client.OTHER, needs, path, keeps, build);
    }

    /** Returns this step, whose success the case needs. */
    Step required() {
        return needing(Needs.SUCCESS);
    }

    Step needing(Needs what) {
        return new Step(words, by, client, what, path, keeps, build);
    }

    Step gives(String file, Held stateId) {
        return new Step(words, by, client, needs, file, stateId, build);
    }
}
