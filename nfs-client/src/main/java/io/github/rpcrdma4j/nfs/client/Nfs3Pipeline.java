package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.CallOutcome;
import io.github.rpcrdma4j.oncrpc.CallPipeline;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;

/**
 * Calls of NFS version 3 that one thread keeps in flight: it starts them, and handles their results
 * while it is within {@link #poll}. A connection that is lost is made anew as for calls that are
 * waited for. Used by one thread at a time.
 */
public final class Nfs3Pipeline implements AutoCloseable {
    /** What is done with the results of a call; it may start others. */
    public interface OnSuccess<A, T> {
        /**
         * The server did it.
         *
         * @param value bulk results may be views that end with this method
         * @throws IOException then {@link #poll} throws it
         */
        void done(A attributes, T value) throws IOException;
    }

    private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

    private final CallPipeline pipeline;
    private final Duration deadline;
    private final ArrayDeque<IOException> failures = new ArrayDeque<>();

    /** Calls that the server has put off, in the order in which they are made again. */
    private final PriorityQueue<Call<?, ?>> putOff =
            new PriorityQueue<>((one, other) -> Long.signum(one.due - other.due));

    /** A call until its results are handled, however often the server puts it off. */
    private final class Call<A, T> implements CallOutcome {
        private final Nfs3Call<A, T> call;
        private final String what;
        private final List<MemorySegment> targets;
        private final OnSuccess<A, T> onSuccess;
        private final RetryDelay later = new RetryDelay(deadline, System.nanoTime());

        /** When it is made again, by {@link System#nanoTime}; set while it is put off. */
        private long due;

        Call(
                Nfs3Call<A, T> call,
                String what,
                List<MemorySegment> targets,
                OnSuccess<A, T> onSuccess) {
            this.call = call;
            this.what = what;
            this.targets = targets;
            this.onSuccess = onSuccess;
        }

        void send() throws RpcException {
            pipeline.submit(Nfs3Client.rpcCall(call, targets), deadline, this);
        }

        @Override
        public void succeeded(XdrReader results) throws XdrException {
            switch (call.replyForm().decode(results)) {
                case Nfs3Reply.Ok<A, T>(var attributes, var value) -> {
                    try {
                        onSuccess.done(attributes, value);
                    } catch (IOException failure) {
                        failures.addLast(failure);
                    }
                }
                case Nfs3Reply.Failed<A, T>(var status, _) -> refused(status);
            }
        }

        private void refused(Status status) {
            var next = later.after(status, System.nanoTime());
            if (next.isEmpty()) {
                failures.addLast(new NfsException(what, status));
            } else {
                due = next.getAsLong();
                putOff.add(this);
            }
        }

        @Override
        public void failed(RpcException reason) {
            failures.addLast(reason);
        }
    }

    Nfs3Pipeline(CallPipeline pipeline, Duration deadline) {
        this.pipeline = pipeline;
        this.deadline = deadline;
    }

    /**
     * Submits a call. It is sent, together with others, when {@link #poll} is called or has handled
     * what is due. While the server puts it off (NFS3ERR_JUKEBOX), it is made again after pauses,
     * until its deadline has passed.
     *
     * @param targets the caller's memory for bulk results; like that of bulk arguments it belongs
     *     to the transport until the call has ended or the pipeline is closed
     * @param onSuccess what is done with the results
     * @throws RpcException if the call cannot be protected
     */
    public <A, T> void submit(
            Nfs3Call<A, T> call, List<MemorySegment> targets, OnSuccess<A, T> onSuccess)
            throws RpcException {
        submit(call, Nfs3Client.failed(call), targets, onSuccess);
    }

    /**
     * Submits a call.
     *
     * @param what for the message of a failure: {@code "cannot read /a/b"}
     */
    <A, T> void submit(
            Nfs3Call<A, T> call,
            String what,
            List<MemorySegment> targets,
            OnSuccess<A, T> onSuccess)
            throws RpcException {
        new Call<>(call, what, targets, onSuccess).send();
    }

    /**
     * Sends what was started and handles the results that are there; waits until there are some.
     *
     * @return false if no call is left
     * @throws IOException if a call has failed, or what was done with its results; the others go
     *     on. Each failure is thrown once.
     * @throws InterruptedException if the thread is interrupted while it waits; nothing is lost
     */
    public boolean poll() throws IOException, InterruptedException {
        boolean told = !failures.isEmpty() || goOn();
        if (!failures.isEmpty()) {
            throw failures.removeFirst();
        }
        return told;
    }

    private boolean goOn() throws RpcException, InterruptedException {
        while (!putOff.isEmpty()) {
            long pause = putOff.element().due - System.nanoTime();
            if (pause <= 0) {
                putOff.remove().send();
            } else if (pipeline.poll(Duration.ofNanos(pause))) {
                return true;
            } else {
                // Without a call in flight there was nothing to wait for.
                TimeUnit.NANOSECONDS.sleep(putOff.element().due - System.nanoTime());
            }
        }
        return pipeline.poll(FOREVER);
    }

    /**
     * Cancels the calls that have not ended. When this method returns the server cannot reach their
     * memory. Closing twice is harmless.
     */
    @Override
    public void close() {
        putOff.clear();
        pipeline.close();
    }
}
