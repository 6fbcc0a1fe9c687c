package io.github.rpcrdma4j.nfs.client.service;

/**
 * What a caller may do with a file, in the order of the bits of ACCESS from the lowest on (RFC
 * 1813, Section 3.3.4; RFC 8881, Section 18.1).
 */
public enum AccessRight {
    /** To read a file, or to list a directory. */
    READ,
    /** To use names in a directory. */
    LOOKUP,
    /** To change bytes of a file, or names in a directory. */
    MODIFY,
    /** To add bytes to a file, or names to a directory. */
    EXTEND,
    /** To remove names from a directory. */
    DELETE,
    /** To execute a file. */
    EXECUTE
}
