package io.github.rpcrdma4j.cli.terminal;

import io.github.rpcrdma4j.nfs.client.service.Waits;

/**
 * Says for what a command waits, and how long it has done so.
 *
 * <p>Tests: {@code WaitTextTest}.
 */
public final class WaitText {
    private WaitText() {}

    /**
     * Returns one line.
     *
     * @param name of the command
     */
    public static String of(String name, Waits.Wait wait) {
        return "%s: waiting for %d s: %s"
                .formatted(name, wait.lasted().toSeconds(), wait.reason().words());
    }
}
