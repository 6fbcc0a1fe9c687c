package io.github.rpcrdma4j.nfs.store;

/**
 * The condition under which a regular file is made (RFC 1813, Section 3.3.8; RFC 8881, Section
 * 18.16).
 */
public sealed interface Creation {
    /** Returns the attributes of a new file. */
    AttributeChanges attributes();

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
     * restart. The times of the file keep the verifier until a client sets them, so the attributes
     * of an EXCLUSIVE4_1 creation are without the times and the size.
     *
     * @param verifier chosen by the client
     * @param attributes those of a new file; neither the size nor a time
     */
    record Exclusive(long verifier, AttributeChanges attributes) implements Creation {
        /**
         * Makes the condition.
         *
         * @throws IllegalArgumentException if the attributes set the size or a time
         */
        public Exclusive {
            if (attributes.size().isPresent() || attributes.changesTimes()) {
                throw new IllegalArgumentException(
                        "an exclusive creation sets neither the size nor a time");
            }
        }

        /** A creation without attributes, as in NFS version 3. */
        public Exclusive(long verifier) {
            this(verifier, AttributeChanges.NONE);
        }
    }
}
