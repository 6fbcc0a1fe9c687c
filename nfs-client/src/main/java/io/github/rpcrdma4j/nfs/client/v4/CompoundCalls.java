package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.OutcomeUnknownException;
import io.github.rpcrdma4j.nfs.client.service.Waits;
import io.github.rpcrdma4j.nfs.client.v4.plan.Changes;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * Makes the calls of a client, with what its minor version puts around them, and knows how long
 * they may be. Thread-safe.
 */
interface CompoundCalls extends AutoCloseable {
    /** Makes a value of results while their memory is valid. */
    interface Decoding<T> {
        T of(Results results) throws IOException;
    }

    /**
     * Runs a plan, and again after pauses while the server is not ready, until its time has passed.
     *
     * @param what for the message of a failure
     * @throws OutcomeUnknownException if nobody can tell whether the server has carried it out
     */
    default <T> T run(Plan plan, String what, Decoding<T> decoding)
            throws IOException, InterruptedException {
        return run(() -> plan, what, decoding);
    }

    /** Runs the plans of a call likewise, one for each attempt. */
    <T> T run(Planning planning, String what, Decoding<T> decoding)
            throws IOException, InterruptedException;

    /** Returns the most bytes of data of a call or a reply. */
    int roomForData();

    /** Returns the most operations of a call, those among them that every call has. */
    int operationsMax();

    /**
     * Returns whether the results of a call are known although it ended because they became too
     * long. If not, no result of unknown length may follow an operation that must not be carried
     * out twice.
     */
    boolean endsAtItsLimit();

    /**
     * Begins with a plan, if that is possible now.
     *
     * @return empty if it has to wait
     */
    Optional<Sending> begin(Plan plan);

    /**
     * Waits until it may be possible to begin with a plan, or for a moment.
     *
     * @param due until when it has to be possible, by the clock of the threads
     * @throws IOException if it will not be
     */
    void awaitBegin(Plan plan, String what, long due) throws IOException, InterruptedException;

    /** Begins with the attempts of a call. */
    Attempts attempts(Planning planning, String what);

    /** Returns the changes that all calls make, those of pipelines and of keepers, too. */
    Changes changes();

    /** Returns what carries the calls. */
    RpcClient client();

    /** Returns the longest time of one call. */
    Duration timeout();

    /** Returns what hears for what the calls wait. */
    Waits waits();

    /** Returns the source of clock and threads. */
    SessionThreads threads();

    @Override
    void close();
}
