package io.github.rpcrdma4j.iwarp.tcp;

import java.time.Duration;

/**
 * What a thread that polls does while nothing arrives: it looks for a while, and then sleeps.
 * Looking keeps a processor busy, and spares the time to fall asleep and be woken, for peers that
 * answer within the look.
 *
 * @param look how long a thread looks before it sleeps, at most; zero: it sleeps at once. Looks
 *     that find nothing become rarer, whatever this is
 * @param lookersMax how many threads of one provider look at a time; the others sleep at once
 */
public record IdleStrategy(Duration look, int lookersMax) {
    /** Sleeps at once: the least work for the processor, about 50 microseconds more for a call. */
    public static final IdleStrategy SLEEP = new IdleStrategy(Duration.ZERO, 0);

    private static final Duration SLEEP_AND_WAKE = Duration.ofNanos(50_000);

    /** Checks the numbers. */
    public IdleStrategy {
        if (look.isNegative()) {
            throw new IllegalArgumentException("look must not be negative");
        }
        if (lookersMax < 0) {
            throw new IllegalArgumentException("lookersMax must not be negative");
        }
    }

    /**
     * Looks for as long as it takes to sleep and wake up, 50 microseconds, on half of the
     * processors: the others are left to threads with work, a peer on this machine among them.
     */
    public static IdleStrategy lookThenSleep() {
        return new IdleStrategy(SLEEP_AND_WAKE, Runtime.getRuntime().availableProcessors() / 2);
    }
}
