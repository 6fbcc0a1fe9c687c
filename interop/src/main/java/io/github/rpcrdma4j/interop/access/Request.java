package io.github.rpcrdma4j.interop.access;

/** What a case asks of a server. */
sealed interface Request permits Operation, Compounds {
    /** Returns the text for a line of the table. */
    String words();

    /** Returns whether it sets attributes, so that a changed time of access counts. */
    boolean setsAttributes();
}
