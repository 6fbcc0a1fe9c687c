package io.github.rpcrdma4j.nfs.store;

import java.time.Instant;

/**
 * A time of a file.
 *
 * @param seconds since the start of 1970, UTC; negative for earlier times
 * @param nanos within the second, 0 to 999,999,999
 */
public record Time(long seconds, int nanos) {
    /** Returns the current time of this machine. */
    public static Time now() {
        var now = Instant.now();
        return new Time(now.getEpochSecond(), now.getNano());
    }
}
