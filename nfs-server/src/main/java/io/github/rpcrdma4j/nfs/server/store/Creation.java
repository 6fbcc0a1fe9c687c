package io.github.rpcrdma4j.nfs.server.store;

/**
 * The condition under which a regular file is made (RFC 1813, Section 3.3.8; RFC 8881, Section
 * 18.16).
 */
public sealed interface Creation {
    /**
     * The file may exist already; it then gets the size of the attributes and keeps its other
     * attributes.
     *
     * @param attributes those of a new file
     */
    record Unchecked(AttributeChanges attributes) implements Creation {}

    /** No file of that name may exist. */
    record Guarded(AttributeChanges attributes) implements Creation {}

    /**
     * No file of that name may exist, unless a call with this verifier created it, perhaps before a
     * restart.
     */
    record Exclusive(long verifier) implements Creation {}
}
