package io.github.rpcrdma4j.nfs.v4;

/** Where the walk over a COMPOUND ended, and why. */
public sealed interface WalkEnd {
    /** All operations were walked. */
    record Complete() implements WalkEnd {}

    /**
     * The shape of an operation is not known, so nothing behind it was found (RFC 8267-7-1).
     *
     * @param index its index in the COMPOUND
     * @param number its number
     */
    record UnknownOperation(int index, int number) implements WalkEnd {}

    /**
     * An operation begins in a later minor version than that of its COMPOUND.
     *
     * @param index its index in the COMPOUND
     */
    record LaterOperation(int index, Operation operation) implements WalkEnd {}

    /**
     * The minor version is not known, so none of its operations is (RFC 8267-7-1).
     *
     * @param minorVersion the minor version, unsigned
     */
    record UnknownMinorVersion(int minorVersion) implements WalkEnd {}

    /**
     * The COMPOUND has more operations than a walk records.
     *
     * @param count how many it claims to have, unsigned
     */
    record TooManyOperations(int count) implements WalkEnd {}

    /**
     * The bytes are not what the shape requires, or they end too early.
     *
     * @param index the index of the operation; 0 also if the bytes before the first are wrong
     * @param cause what is wrong, for a user
     */
    record Malformed(int index, String cause) implements WalkEnd {}

    /** Returns whether all operations were walked. */
    default boolean isComplete() {
        return this instanceof Complete;
    }
}
