package io.github.rpcrdma4j.nfs.server.admin;

/**
 * An open of a file.
 *
 * @param client the number of the client
 * @param owner what the client calls the owner: printable ASCII, or {@code hex:} with hexadecimal
 *     digits
 * @param access what the owner may do
 * @param deny what other owners may not do
 */
public record ServedOpen(ServedFile file, long client, String owner, Share access, Share deny) {
    /** Kinds of access to data (RFC 8881, Section 9.7). */
    public enum Share {
        NONE,
        READ,
        WRITE,
        BOTH
    }
}
