package io.github.rpcrdma4j.linux;

import static io.github.rpcrdma4j.linux.SystemCalls.call;

/**
 * What this process does with signals. Thread-safe, if each thread uses its own {@link Scratch}.
 */
public final class Signals {
    /** SIGHUP: the terminal is gone, or a server is to read its files again. */
    public static final int HANG_UP = 1;

    /** {@code struct sigaction} of the kernel: handler, flags, restorer and mask, 64 bits each. */
    private static final int ACTION_WORDS = 4;

    private static final int SIGNAL_BYTES = 8;

    private Signals() {}

    /**
     * Gives a signal its default effect, also if this process was started to ignore it.
     *
     * @return 0, or a negative error number
     */
    public static int toDefault(Scratch scratch, int signal) {
        for (int i = 0; i < ACTION_WORDS; i++) {
            scratch.number(Scratch.RANGE + 8 * i, 0);
        }
        return call(
                scratch,
                CallNumber.RT_SIGACTION,
                signal,
                scratch.address + Scratch.RANGE,
                0,
                SIGNAL_BYTES);
    }
}
