package io.github.rpcrdma4j.nfs.server.admin;

/**
 * A locked range of a file.
 *
 * @param client the number of the client
 * @param owner what the client calls the owner: printable ASCII, or {@code hex:} with hexadecimal
 *     digits
 * @param isExclusive whether no other owner may lock a byte of it; otherwise others may share it
 * @param offset the first byte, unsigned
 * @param length in bytes, unsigned; all ones for a range to the end of the file, wherever it is
 */
public record ServedLock(
        ServedFile file,
        long client,
        String owner,
        boolean isExclusive,
        long offset,
        long length) {}
