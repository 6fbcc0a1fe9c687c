package io.github.rpcrdma4j.nfs.client.v3;

import io.github.rpcrdma4j.nfs.client.file.DeferredRetry;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.service.Waits;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.oncrpc.CallOutcome;
import io.github.rpcrdma4j.oncrpc.CallPipeline;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * NFS version 3 calls that one thread keeps outstanding. The thread submits calls, and processes
 * their results within {@link #poll}. A lost connection is established again as for blocking calls.
 * Used by one thread at a time.
 *
 * <p>Tests: {@code Nfs3ClientTest}, {@code DeferredRetryTest}.
 */
public final class Nfs3Pipeline implements AutoCloseable {
    /** Processes the results of a successful call; it may submit further calls. */
    public interface OnSuccess<A, T> {
        /**
         * Processes the results of a call.
         *
         * @param value bulk results may be views that are valid only during this method
         * @throws IOException {@link #poll} throws it again
         */
        void done(A attributes, T value) throws IOException;
    }

    /** Continues after a NULL call; it may submit further calls. */
    public interface OnReply {
        /**
         * Continues after the reply.
         *
         * @throws IOException {@link #poll} throws it again
         */
        void done() throws IOException;
    }

    private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

    private final CallPipeline pipeline;
    private final Duration timeout;
    private final Waits waits;
    private final CallForm form;
    private final RpcCall nullCall;
    private final ArrayDeque<IOException> failures = new ArrayDeque<>();

    /** Calls that the server deferred, by the time of their next attempt. */
    private final PriorityQueue<Call<?, ?>> deferred =
            new PriorityQueue<>((one, other) -> Long.signum(one.due - other.due));

    /** Calls that have been deferred, and have not ended. */
    private final Set<Call<?, ?>> waited = new HashSet<>();

    /** A call until its results are processed, including all attempts that the server defers. */
    private final class Call<A, T> implements CallOutcome {
        private final Nfs3Call<A, T> call;
        private final String what;
        private final List<MemorySegment> targets;
        private final OnSuccess<A, T> onSuccess;
        private final DeferredRetry retry = new DeferredRetry(timeout, System.nanoTime());
        private final Waits.Begun wait = waits.ofCall();

        /**
         * The time of the next attempt, by {@link System#nanoTime}; set while the call is deferred.
         */
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
            var refusal = form.refusal(call);
            if (refusal.isPresent()) {
                failures.addLast(new NfsException(what, Nfs3Values.status(refusal.get())));
            } else {
                pipeline.submit(form.call(call, targets), timeout, this);
            }
        }

        @Override
        public void succeeded(XdrReader results) throws XdrException {
            switch (form.decode(call, results)) {
                case Nfs3Reply.Ok<A, T>(var attributes, var value) -> {
                    end();
                    try {
                        onSuccess.done(attributes, value);
                    } catch (IOException failure) {
                        failures.addLast(failure);
                    }
                }
                case Nfs3Reply.Failed<A, T>(var status, _) -> refused(Nfs3Values.status(status));
            }
        }

        private void refused(Status status) {
            var next = retry.after(status, System.nanoTime());
            if (next.isEmpty()) {
                end();
                failures.addLast(new NfsException(what, status));
            } else {
                due = next.getAsLong();
                deferred.add(this);
                waited.add(this);
                wait.on(Waits.Reason.BUSY);
            }
        }

        /** The call waits for nothing any more. */
        void end() {
            wait.close();
            waited.remove(this);
        }

        @Override
        public void failed(RpcException reason) {
            end();
            failures.addLast(reason);
        }
    }

    /** A NULL call until its reply. */
    private final class Ping implements CallOutcome {
        private final OnReply onReply;

        Ping(OnReply onReply) {
            this.onReply = onReply;
        }

        @Override
        public void succeeded(XdrReader results) throws XdrException {
            results.finish();
            try {
                onReply.done();
            } catch (IOException failure) {
                failures.addLast(failure);
            }
        }

        @Override
        public void failed(RpcException reason) {
            failures.addLast(reason);
        }
    }

    /**
     * @param timeout the bound on each call
     * @param waits hears for what the calls wait
     */
    Nfs3Pipeline(CallPipeline pipeline, Duration timeout, NfsVersion version, Waits waits) {
        this.pipeline = pipeline;
        this.timeout = timeout;
        this.waits = waits;
        this.form = CallForm.of(version);
        this.nullCall = RpcCall.ofNull(Nfs3.PROGRAM, version.number());
    }

    /**
     * Submits a call. The pipeline sends it, together with others, when {@link #poll} begins or has
     * processed the available results. While the server answers NFS3ERR_JUKEBOX, the pipeline
     * repeats the call after pauses until its timeout has passed.
     *
     * @param targets the caller's memory for bulk results; like that of bulk arguments it belongs
     *     to the transport until the call has ended or the pipeline is closed
     * @param onSuccess processes the results
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
     * Submits a NULL call, which does nothing at the server. The pipeline sends it as {@link
     * #submit} tells.
     *
     * @param onReply continues after the reply
     * @throws RpcException if the call cannot be protected
     */
    public void ping(OnReply onReply) throws RpcException {
        pipeline.submit(nullCall, timeout, new Ping(onReply));
    }

    /**
     * Sends submitted calls and processes available results. Waits until there are some.
     *
     * @return false if no call is left
     * @throws IOException if a call, or the processing of its results, has failed. The other calls
     *     continue. Each failure is thrown once.
     * @throws InterruptedException if the thread is interrupted while it waits; nothing is lost
     */
    public boolean poll() throws IOException, InterruptedException {
        boolean isActive = !failures.isEmpty() || pollCalls();
        if (!failures.isEmpty()) {
            throw failures.removeFirst();
        }
        return isActive;
    }

    private boolean pollCalls() throws RpcException, InterruptedException {
        while (!deferred.isEmpty()) {
            long pause = deferred.element().due - System.nanoTime();
            if (pause <= 0) {
                deferred.remove().send();
            } else if (pipeline.poll(Duration.ofNanos(pause))) {
                return true;
            } else {
                // No call was outstanding, so there was nothing to wait for.
                TimeUnit.NANOSECONDS.sleep(deferred.element().due - System.nanoTime());
            }
        }
        return pipeline.poll(FOREVER);
    }

    /**
     * Cancels the outstanding calls. After this method the server cannot reach their memory.
     * Closing twice has no effect.
     */
    @Override
    public void close() {
        deferred.clear();
        List.copyOf(waited).forEach(Call::end);
        pipeline.close();
    }
}
