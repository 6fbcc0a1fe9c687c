package io.github.rpcrdma4j.nfs.client.service;

import java.time.Duration;

/**
 * The limits of a file system of a server. A server shortens a transfer that exceeds its limit (RFC
 * 1813, Section 3.3.19), and all copies continue after a short one.
 *
 * @param readMax the most bytes of one read
 * @param writeMax the most bytes of one write
 * @param sizeMax the largest size of a file, in bytes
 * @param timeStep the unit of the times that it keeps
 */
public record TransferLimits(int readMax, int writeMax, long sizeMax, Duration timeStep) {
    private static final int LONGEST = 1 << 20;
    private static final int SHORTEST = 512;

    /**
     * Returns limits as a server tells them, except that a limit of 0 is none, and that a transfer
     * has at least 512 bytes. Without the minimum, a server could make a copy take one call for
     * each byte.
     *
     * @param readMax unsigned
     * @param writeMax unsigned
     */
    public static TransferLimits told(int readMax, int writeMax, long sizeMax, Duration timeStep) {
        return new TransferLimits(
                limit(readMax), limit(writeMax), sizeMax <= 0 ? Long.MAX_VALUE : sizeMax, timeStep);
    }

    private static int limit(int named) {
        return named == 0 ? LONGEST : Math.clamp(Integer.toUnsignedLong(named), SHORTEST, LONGEST);
    }
}
