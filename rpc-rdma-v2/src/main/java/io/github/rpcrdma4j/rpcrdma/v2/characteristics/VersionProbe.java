package io.github.rpcrdma4j.rpcrdma.v2.characteristics;

/**
 * How a client finds out which version its server speaks, without losing a call: none is made
 * before the answer is known (RTR-2-1).
 *
 * <pre>
 *                     ANSWERED
 *    EITHER, ONLY_2 ------------> VERSION_2
 *                     SPEAKS_1
 *    EITHER --------------------> VERSION_1        calls go out on this connection (V2-5.2-2)
 *                     NO_ANSWER
 *    EITHER --------------------> VERSION_1_ANEW   calls go out on another one (V2-5.2-3)
 *                     anything else
 *    EITHER, ONLY_2 ------------> NONE
 * </pre>
 *
 * What is found out holds for as long as the connection.
 */
public enum VersionProbe {
    /** One message of version 2 is out; the server may speak version 1 as well. */
    EITHER,
    /** One message of version 2 is out, and nothing else will do. */
    ONLY_2,
    VERSION_1,
    /** The server is to be spoken to in version 1, on a new connection. */
    VERSION_1_ANEW,
    VERSION_2,
    /** There is no version in common. */
    NONE;

    private static final int VERSION = 1;

    /** What can happen. */
    public enum Event {
        /**
         * A message of version 2 came: what the server is like, or that it knows no
         * characteristics, and goes on with the defaults (XCH-4.1-2).
         */
        ANSWERED,
        /** ERR_VERS came, in whatever version, and its range has version 1. */
        SPEAKS_1,
        /** ERR_VERS came, and its range has no version of ours. */
        SPEAKS_OTHERS,
        /** The connection was lost, or nothing came for as long as one waits. */
        NO_ANSWER;

        /** What an ERR_VERS says. */
        public static Event refused(int lowest, int highest) {
            return Integer.compareUnsigned(lowest, VERSION) <= 0
                            && Integer.compareUnsigned(highest, VERSION) >= 0
                    ? SPEAKS_1
                    : SPEAKS_OTHERS;
        }
    }

    /** Whether calls can go out, or never will. */
    public boolean isOver() {
        return this != EITHER && this != ONLY_2;
    }

    /** Where {@code event} leads from here. */
    public VersionProbe on(Event event) {
        return switch (this) {
            case EITHER ->
                    switch (event) {
                        case ANSWERED -> VERSION_2;
                        case SPEAKS_1 -> VERSION_1;
                        case SPEAKS_OTHERS -> NONE;
                        case NO_ANSWER -> VERSION_1_ANEW;
                    };
            case ONLY_2 ->
                    switch (event) {
                        case ANSWERED -> VERSION_2;
                        case SPEAKS_1, SPEAKS_OTHERS, NO_ANSWER -> NONE;
                    };
            // What is refused then is a single call, and ends that.
            case VERSION_1, VERSION_1_ANEW, VERSION_2, NONE -> this;
        };
    }
}
