package io.github.rpcrdma4j.rpcrdma.v2.characteristics;

/**
 * The states of a client's probe for the version that its server speaks. No call is sent before the
 * answer is known, so none is lost (RTR-2-1).
 *
 * <pre>
 *                     ANSWERED
 *    EITHER, ONLY_2 ------------> VERSION_2
 *                     SPEAKS_1
 *    EITHER --------------------> VERSION_1    calls go out on this connection (V2-5.2-2)
 *                     NO_ANSWER
 *    EITHER --------------------> VERSION_1_NEW_CONNECTION    ... on another one (V2-5.2-3)
 *    ONLY_2 --------------------> SILENT
 *                     anything else
 *    EITHER, ONLY_2 ------------> NONE
 * </pre>
 *
 * The result holds for the life of the connection.
 */
public enum VersionProbe {
    /** One message of version 2 is sent; version 1 is acceptable as well. */
    EITHER,
    /** One message of version 2 is sent; no other version is acceptable. */
    ONLY_2,
    /** The server speaks version 1 on this connection. */
    VERSION_1,
    /** The server is used in version 1, on a new connection. */
    VERSION_1_NEW_CONNECTION,
    /** The server speaks version 2. */
    VERSION_2,
    /** The server has not answered, and no other version is acceptable. */
    SILENT,
    /** There is no common version. */
    NONE;

    private static final int VERSION = 1;

    /** How long a server may take to answer, if the client can go on in version 1. */
    private static final long PATIENCE_NANOS = 3_000_000_000L;

    /** An event in a probe. */
    public enum Event {
        /**
         * A message of version 2 arrived. It has the server's characteristics, or says that the
         * server knows no characteristics and keeps the defaults (XCH-4.1-2).
         */
        ANSWERED,
        /** ERR_VERS arrived in any version, and its range includes version 1. */
        SPEAKS_1,
        /** ERR_VERS arrived, and its range has no version of ours. */
        SPEAKS_OTHERS,
        /** The connection was lost, or nothing arrived in time. */
        NO_ANSWER;

        /** Returns the event that an ERR_VERS means, given its range of versions. */
        public static Event refused(int lowest, int highest) {
            return Integer.compareUnsigned(lowest, VERSION) <= 0
                            && Integer.compareUnsigned(highest, VERSION) >= 0
                    ? SPEAKS_1
                    : SPEAKS_OTHERS;
        }
    }

    /** Returns whether the result is known. */
    public boolean isOver() {
        return this != EITHER && this != ONLY_2;
    }

    /**
     * Returns how long to wait for an event, in nanoseconds.
     *
     * @param connectNanos how long a connection may take
     */
    public long patienceNanos(long connectNanos) {
        return switch (this) {
            case EITHER -> Math.min(PATIENCE_NANOS, connectNanos);
            case ONLY_2 -> connectNanos;
            case VERSION_1, VERSION_1_NEW_CONNECTION, VERSION_2, SILENT, NONE -> 0;
        };
    }

    /** Returns the state that follows {@code event}. */
    public VersionProbe on(Event event) {
        return switch (this) {
            case EITHER ->
                    switch (event) {
                        case ANSWERED -> VERSION_2;
                        case SPEAKS_1 -> VERSION_1;
                        case SPEAKS_OTHERS -> NONE;
                        case NO_ANSWER -> VERSION_1_NEW_CONNECTION;
                    };
            case ONLY_2 ->
                    switch (event) {
                        case ANSWERED -> VERSION_2;
                        case SPEAKS_1, SPEAKS_OTHERS -> NONE;
                        case NO_ANSWER -> SILENT;
                    };
            // An ERR_VERS now refuses a single call, and ends only that call.
            case VERSION_1, VERSION_1_NEW_CONNECTION, VERSION_2, SILENT, NONE -> this;
        };
    }
}
