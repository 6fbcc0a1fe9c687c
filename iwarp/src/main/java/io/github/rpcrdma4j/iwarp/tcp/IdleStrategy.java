package io.github.rpcrdma4j.iwarp.tcp;

import java.time.Duration;

/**
 * The behaviour of a polling thread while nothing arrives: it busy-polls for a while, and then
 * sleeps. Busy polling keeps a processor busy. It saves the time to fall asleep and wake up if the
 * peer answers meanwhile.
 *
 * @param busyPoll the longest time that a thread busy-polls before it sleeps; zero: it sleeps at
 *     once. With any value, a thread busy-polls less often when that finds nothing
 * @param busyPollersMax how many threads of one provider busy-poll at a time; the others sleep at
 *     once
 */
public record IdleStrategy(Duration busyPoll, int busyPollersMax) {
    /**
     * Sleeps at once. This costs the least processor time, and adds about 50 microseconds to a
     * call.
     */
    public static final IdleStrategy SLEEP = new IdleStrategy(Duration.ZERO, 0);

    private static final Duration SLEEP_AND_WAKE = Duration.ofNanos(50_000);

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if one is negative
     */
    public IdleStrategy {
        if (busyPoll.isNegative()) {
            throw new IllegalArgumentException("busyPoll must not be negative");
        }
        if (busyPollersMax < 0) {
            throw new IllegalArgumentException("busyPollersMax must not be negative");
        }
    }

    /**
     * Returns the default strategy. A thread busy-polls for 50 microseconds, as long as sleeping
     * and waking take. Threads busy-poll on at most half of the processors: the others remain for
     * working threads, such as a peer on this machine.
     */
    public static IdleStrategy busyPollThenSleep() {
        return new IdleStrategy(SLEEP_AND_WAKE, Runtime.getRuntime().availableProcessors() / 2);
    }
}
