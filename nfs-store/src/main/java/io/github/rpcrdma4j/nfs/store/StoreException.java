package io.github.rpcrdma4j.nfs.store;

import io.github.rpcrdma4j.nfs.store.AttributeChanges.Attribute;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * Reports that an operation on a file failed. It has no stack trace, because it is a regular
 * outcome.
 */
public final class StoreException extends Exception {
    private static final long serialVersionUID = 1L;
    private final Failure failure;
    private final transient Set<Attribute> attributesSet;

    /** Reports a failure, of which there is no more to say. */
    public StoreException(Failure failure) {
        this(failure, failure.name());
    }

    /**
     * Reports a failure.
     *
     * @param failure what clients are told
     * @param message a text for the operator of the server
     */
    public StoreException(Failure failure, String message) {
        this(failure, message, Set.of());
    }

    private StoreException(Failure failure, String message, Set<Attribute> attributesSet) {
        super(message, null, false, false);
        this.failure = failure;
        this.attributesSet = attributesSet;
    }

    /** Returns what clients are told. */
    public Failure failure() {
        return failure;
    }

    /** Returns the attributes of an existing file that the operation had set before it failed. */
    public Set<Attribute> attributesSet() {
        return attributesSet;
    }

    /** Returns this failure of an operation that had set attributes before. */
    public StoreException after(EnumSet<Attribute> set) {
        return new StoreException(
                failure, getMessage(), Collections.unmodifiableSet(EnumSet.copyOf(set)));
    }

    /** Returns this failure of an operation whose file is gone, or new. */
    public StoreException ofNoFile() {
        return new StoreException(failure, getMessage());
    }
}
