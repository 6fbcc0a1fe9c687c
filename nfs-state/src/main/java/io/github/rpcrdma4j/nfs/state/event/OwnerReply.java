package io.github.rpcrdma4j.nfs.state.event;

import java.util.Optional;

/**
 * The last reply to an owner (RFC 7530, Section 9.1.8).
 *
 * @param result the result of the operation, from its number on; at most {@link #BYTES_MAX} bytes,
 *     and owned by the state
 * @param opened the file that OPEN has opened, which is the current file behind it
 */
public record OwnerReply(byte[] result, Optional<FileKey> opened) {
    /** Enough for every such operation; a LOCK that is denied tells the longest name. */
    public static final int BYTES_MAX = 1152;
}
