package io.github.rpcrdma4j.rpcrdma.v2.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The classes of a connection's first message, by which a server learns what its client speaks
 * (V2-4.2-3, V2-5.3-1).
 *
 * <pre>
 *   vers   proc
 *   1      any               version 1
 *   2      0, 1, 4           version 2 as it is spoken here
 *   2      5, 28 bytes       version 2: an optional operation
 *   2      5, shorter        a grant of a later draft
 *   2      6 to 13           a message of a later draft
 *   2      other             version 2, and broken
 *   other                    nothing that is known
 * </pre>
 *
 * A client of a later draft is answered by ERR_VERS with 1 as lowest and highest. Its protocol
 * shares only the version number with ours, so both sides continue with version 1.
 */
public enum FirstMessage {
    VERSION_1,
    VERSION_2,
    LATER_DRAFT,
    OTHER_VERSION,
    TOO_SHORT;

    /** The longest first message, in bytes; any version accepts it (V2-5-1, XCH-4.1-4). */
    public static final int BYTES_MAX = 1024;

    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int VERSION_AT = 4;
    private static final int PROC_AT = 12;
    private static final int OPTIONAL = 5;
    private static final int OPTIONAL_BYTES_MIN = 28;
    private static final int LATER_FIRST = 6;
    private static final int LATER_LAST = 13;

    /** Classifies a message; any bytes have a result. */
    public static FirstMessage of(MemorySegment message) {
        if (message.byteSize() < Version2HeaderCodec.FIXED_BYTES) {
            return TOO_SHORT;
        }
        int proc = message.get(UINT32, PROC_AT);
        return switch (message.get(UINT32, VERSION_AT)) {
            case 1 -> VERSION_1;
            case 2 ->
                    proc >= LATER_FIRST && proc <= LATER_LAST
                                    || proc == OPTIONAL && message.byteSize() < OPTIONAL_BYTES_MIN
                            ? LATER_DRAFT
                            : VERSION_2;
            default -> OTHER_VERSION;
        };
    }
}
