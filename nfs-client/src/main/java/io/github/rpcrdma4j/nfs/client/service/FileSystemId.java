package io.github.rpcrdma4j.nfs.client.service;

import io.github.rpcrdma4j.oncrpc.KeyedHash;

/**
 * Tells the file systems of one server apart ({@code fsid}: RFC 1813, Section 2.6; RFC 8881,
 * Section 5.8.1.9).
 *
 * @param major the whole number in versions 2 and 3
 * @param minor 0 in versions 2 and 3
 */
public record FileSystemId(long major, long minor) {
    /** Is keyed: a server chooses the numbers. */
    @Override
    public int hashCode() {
        return KeyedHash.of(major, minor);
    }
}
