package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.v3.Nfs3Results.FileSystemInfo;

/**
 * The most bytes of one READ and of one WRITE to a server. They are the server's limits, except
 * that a limit of 0 is none, and that a transfer has at least 512 bytes. A server shortens a
 * transfer that exceeds its limit (RFC 1813, Section 3.3.19), and all copies continue after a short
 * one. Without the minimum, a server could make a copy take one call for each byte.
 *
 * @param sizeMax the largest size of a file, in bytes
 */
record TransferLimits(int readMax, int writeMax, long sizeMax) {
    private static final int LONGEST = 1 << 20;
    private static final int SHORTEST = 512;

    static TransferLimits of(FileSystemInfo info) {
        long size = info.fileSizeMax();
        return new TransferLimits(
                limit(info.readMax()), limit(info.writeMax()), size <= 0 ? Long.MAX_VALUE : size);
    }

    private static int limit(int named) {
        return named == 0 ? LONGEST : Math.clamp(Integer.toUnsignedLong(named), SHORTEST, LONGEST);
    }
}
