package io.github.rpcrdma4j.rpcrdma.wire;

/** Which messages without chunks travel as a {@link PlainMessage}. */
public enum PlainMessages {
    /** None. */
    NONE,
    /** Those without bulk data. */
    WITHOUT_BULK_DATA,
    /** A little bulk data is copied into them, for less than a Send of several pieces costs. */
    WITH_BULK_DATA
}
