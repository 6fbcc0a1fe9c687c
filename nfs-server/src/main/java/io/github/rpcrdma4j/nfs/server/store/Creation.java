package io.github.rpcrdma4j.nfs.server.store;

/** How a regular file is made (RFC 1813, Section 3.3.8; RFC 8881, Section 18.16). */
public sealed interface Creation {
    /**
     * A file that is there already will do; of the attributes it gets the size.
     *
     * @param attributes of a new file
     */
    record Unchecked(AttributeChanges attributes) implements Creation {}

    /** There must be no file of that name. */
    record Guarded(AttributeChanges attributes) implements Creation {}

    /**
     * There must be no file of that name, unless a call with this verifier made it, perhaps before
     * a restart.
     */
    record Exclusive(long verifier) implements Creation {}
}
