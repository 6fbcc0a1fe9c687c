package io.github.rpcrdma4j.interop.access;

/** The stateids that a step of a case can name. */
enum Held {
    /** The special stateid of all bits 0. */
    ANONYMOUS("anonymous"),
    /** The special stateid of all bits 1. */
    BYPASS("bypass"),
    /** That of the file which a case is about. */
    OPEN("open"),
    /** That of a second open. */
    SECOND("second open"),
    LOCK("lock"),
    /** That of a delegation, which comes with an open. */
    DELEGATION("delegation");

    private final String words;

    Held(String words) {
        this.words = words;
    }

    /** Returns the text for a line of the table. */
    String words() {
        return words;
    }
}
