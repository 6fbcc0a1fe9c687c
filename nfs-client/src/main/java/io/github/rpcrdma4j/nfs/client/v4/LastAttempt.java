package io.github.rpcrdma4j.nfs.client.v4;

import java.io.IOException;

/** An attempt to close something at the server, before the client leaves it. */
interface LastAttempt {
    void run() throws IOException, InterruptedException;

    /** Makes an attempt, also if the thread was interrupted. Returns whether it succeeded. */
    static boolean succeeds(LastAttempt attempt) {
        boolean interrupted = Thread.interrupted();
        try {
            attempt.run();
            return true;
        } catch (IOException _) {
            return false;
        } catch (InterruptedException _) {
            interrupted = true;
            return false;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
