package io.github.rpcrdma4j.nfs.v4;

/** The most bytes that the results of a COMPOUND can have. */
public sealed interface ResultsBound {
    /** The results have at most so many bytes. */
    record Bytes(long most) implements ResultsBound {}

    /**
     * The results have no limit that the call shows (RFC 8267-6.2-1). From minor version 1 on, the
     * session limits them (RFC 8267-6.2.2-1).
     *
     * @param index the index of the first operation without a limit
     * @param cause its name, or why the walk over the call ended there
     */
    record Unbounded(int index, String cause) implements ResultsBound {}
}
