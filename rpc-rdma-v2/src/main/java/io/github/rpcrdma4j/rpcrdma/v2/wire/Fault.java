package io.github.rpcrdma4j.rpcrdma.v2.wire;

/**
 * What is wrong with a group of transmissions or with its data placement: the base has no codes for
 * that (V2-3.3-2).
 */
public sealed interface Fault {
    /** Something else was expected. */
    record Unexpected(Mismatch what, long expected, long current) implements Fault {}

    /** OPTXERR_BADCONT: a continuation of nothing (RTR-9.5-3). */
    record NoGroup() implements Fault {}

    /**
     * A number is out of its range, or, if it is inside, not properly aligned (RTR-9.5-9).
     *
     * @param value of 32 bits, as all three
     */
    record OutOfRange(Measure what, long value, long min, long max) implements Fault {
        /** Whether the value is a possible one at a wrong place. */
        public boolean isMisaligned() {
            return min <= value && value <= max;
        }
    }

    /** What was not as expected. */
    enum Mismatch {
        /** OPTXERR_BADHMT: another header inside a group (RTR-9.5-1). */
        HEADER_TYPE(1),
        /** OPTXERR_BADOMT: another operation inside a group (RTR-9.5-2). */
        OPTION_TYPE(2),
        /** OPTXERR_BADSEQ: not the next number (RTR-9.5-4), or a group too long. */
        SEQUENCE(4),
        /** OPTXERR_BADXID: a continuation with another XID (RTR-9.5-5). */
        XID(5);

        final int code;

        Mismatch(int code) {
            this.code = code;
        }
    }

    /** What was out of range. */
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
