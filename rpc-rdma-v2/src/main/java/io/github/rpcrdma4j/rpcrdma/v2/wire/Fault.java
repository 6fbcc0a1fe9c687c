package io.github.rpcrdma4j.rpcrdma.v2.wire;

/**
 * The fault of a group of transmissions or of its data placement, for which the base has no codes
 * (V2-3.3-2).
 */
public sealed interface Fault {
    /** A value differs from the expected one. */
    record Unexpected(Mismatch what, long expected, long current) implements Fault {}

    /** OPTXERR_BADCONT: a continuation without a group (RTR-9.5-3). */
    record NoGroup() implements Fault {}

    /**
     * A number is out of its range, or is inside it and misaligned (RTR-9.5-9).
     *
     * @param value the number; it has 32 bits, like the limits
     */
    record OutOfRange(Measure what, long value, long min, long max) implements Fault {}

    /** The value that was not as expected. */
    enum Mismatch {
        /** OPTXERR_BADHMT: another header inside a group (RTR-9.5-1). */
        HEADER_TYPE(1),
        /** OPTXERR_BADOMT: another operation inside a group (RTR-9.5-2). */
        OPTION_TYPE(2),
        /** OPTXERR_BADSEQ: not the next number (RTR-9.5-4), or a group that is too long. */
        SEQUENCE(4),
        /** OPTXERR_BADXID: a continuation with another XID (RTR-9.5-5). */
        XID(5);

        final int code;

        Mismatch(int code) {
            this.code = code;
        }
    }

    /** The value that was out of range. */
    enum Measure {
        /** OPTXERR_BADOFF: an offset, a displacement, or the kind of a place (RTR-9.5-7). */
        OFFSET(6),
        /** OPTXERR_BADTBSN: the number of a segment (RTR-9.5-6). */
        SEGMENT_NUMBER(7),
        /** OPTXERR_BADPL: a length of payload (RTR-9.5-8). */
        PAYLOAD(8);

        final int code;

        Measure(int code) {
            this.code = code;
        }
    }
}
