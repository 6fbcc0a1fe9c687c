package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.file.DeferredRetry;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import java.io.IOException;

/** Makes calls while others wait for the recovery of what the server has forgotten. */
interface RecoveryCalls {
    /** Returns what makes the calls. */
    CompoundCalls calls();

    /** Makes one attempt of a call. */
    <T> T once(Plan plan, String what, CompoundCalls.Decoding<T> decoding)
            throws IOException, InterruptedException;

    /** Makes a call, and again while the server is busy. */
    default <T> T run(Plan plan, String what, CompoundCalls.Decoding<T> decoding)
            throws IOException, InterruptedException {
        var threads = calls().threads();
        var retry = new DeferredRetry(calls().timeout(), threads.nanoTime());
        while (true) {
            try {
                return once(plan, what, decoding);
            } catch (NfsException refused) {
                var due = retry.next(threads.nanoTime());
                if (refused.status() != Status.JUKEBOX || due.isEmpty()) {
                    throw refused;
                }
                threads.sleep(due.getAsLong() - threads.nanoTime());
            }
        }
    }
}
