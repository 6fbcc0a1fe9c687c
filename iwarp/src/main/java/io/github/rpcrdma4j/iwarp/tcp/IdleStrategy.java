package io.github.rpcrdma4j.iwarp.tcp;

import java.time.Duration;

/**
 * The behaviour of a polling thread while nothing arrives: it busy-polls for a while (a look), and
 * then sleeps. Looking keeps a processor busy. It saves the time to fall asleep and wake up if the
 * peer answers meanwhile.
 *
 * @param look the longest time that a thread looks before it sleeps; zero: it sleeps at once. With
 *     any value, looks that find nothing become rarer
 * @param lookersMax how many threads of one provider look at a time; the others sleep at once
 */
public record IdleStrategy(Duration look, int lookersMax) {
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
        if (look.isNegative()) {
            throw new IllegalArgumentException("look must not be negative");
        }
        if (lookersMax < 0) {
            throw new IllegalArgumentException("lookersMax must not be negative");
        }
    }

    /**
     * Returns the default strategy. A thread looks for 50 microseconds, as long as sleeping and
     * waking take. Threads look on at most half of the processors: the others remain for working
     * threads, such as a peer on this machine.
     */
    public static IdleStrategy lookThenSleep() {
        return new IdleStrategy(SLEEP_AND_WAKE, Runtime.getRuntime().availableProcessors() / 2);
    }
}
