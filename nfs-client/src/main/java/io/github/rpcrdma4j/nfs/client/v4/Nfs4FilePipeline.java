package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.file.DeferredRetry;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FilePipeline;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.Written;
import io.github.rpcrdma4j.nfs.client.v4.plan.Answer;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.client.v4.session.Slot.Outcome;
import io.github.rpcrdma4j.nfs.v4.operation.DataResult;
import io.github.rpcrdma4j.oncrpc.CallOutcome;
import io.github.rpcrdma4j.oncrpc.CallPipeline;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * The pipeline of an {@link Nfs4Service}. Used by one thread at a time.
 *
 * <p>Tests: {@code FileServiceTest}, {@code VersionsOfCopiesTest}.
 */
final class Nfs4FilePipeline implements FilePipeline {
    private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

    private final CompoundCalls calls;
    private final CallPipeline pipeline;

    /** Calls that wait for a slot, if the version has slots. */
    private final ArrayDeque<Call> waiting = new ArrayDeque<>();

    /** Calls that the server deferred, by the time of their next attempt. */
    private final PriorityQueue<Call> deferred =
            new PriorityQueue<>((one, other) -> Long.signum(one.due - other.due));

    /** Calls that are sent, and not settled. */
    private final Set<Call> sent = new LinkedHashSet<>();

    /** Calls that were deferred, and have not ended. */
    private final Set<Call> waited = new LinkedHashSet<>();

    private final ArrayDeque<IOException> failures = new ArrayDeque<>();

    Nfs4FilePipeline(CompoundCalls calls) {
        this.calls = calls;
        this.pipeline = calls.client().pipeline();
    }

    /** Processes the results of a call while they are valid. */
    private interface Processing {
        void of(Results results) throws IOException;
    }

    /** A call until its results are processed, including all attempts. */
    private final class Call implements CallOutcome {
        private final Attempts attempts;
        private final Processing processing;
        private Plan plan;

        /** Null if the next attempt is another call. */
        private Sending sending;

        /** While the server works on the first copy of a call. */
        private DeferredRetry sameCall;

        private long due;
        private boolean isWaiting;
        private long beginDue;

        Call(Attempts attempts, Processing processing) {
            this.attempts = attempts;
            this.processing = processing;
        }

        /** Makes the plan of the next attempt, before it begins: that may take calls. */
        void prepare() throws IOException, InterruptedException {
            plan = attempts.planning().plan();
        }

        Plan plan() {
            return plan;
        }

        void send(Sending begun) throws RpcException {
            sending = begun;
            isWaiting = false;
            sent.add(this);
            sameCall = new DeferredRetry(calls.timeout(), calls.threads().nanoTime());
            submit(Outcome.UNSENT);
        }

        /** Sends the same call once more. */
        void sendAgain() throws RpcException {
            submit(Outcome.UNKNOWN);
        }

        private void submit(Outcome otherwise) throws RpcException {
            boolean isSubmitted = false;
            try {
                pipeline.submit(sending.call().rpc(), calls.timeout(), this);
                isSubmitted = true;
            } finally {
                if (!isSubmitted) {
                    settle(otherwise);
                }
            }
        }

        /** Returns until when the call waits for its turn, from its first wait on. */
        long beginDue() {
            if (!isWaiting) {
                isWaiting = true;
                beginDue = calls.threads().nanoTime() + calls.timeout().toNanos();
            }
            return beginDue;
        }

        boolean isSent() {
            return sending != null;
        }

        void settle(Outcome outcome) {
            sending.settle(outcome);
            sending = null;
            sent.remove(this);
        }

        @Override
        public void succeeded(XdrReader results) {
            var answer = Answer.decode(results, sending.call().operations());
            var outcome = sending.outcome(answer);
            if (outcome.isSentAgain()) {
                sendAgainLater();
                return;
            }
            boolean isEnded = true;
            try {
                if (outcome == Outcome.SUCCEEDED) {
                    processing.of(sending.results(answer, attempts.what()));
                } else {
                    throw sending.refusal(answer, outcome, attempts.what());
                }
            } catch (IOException failure) {
                isEnded = !isAgain(failure);
            } finally {
                settle(outcome);
                if (isEnded) {
                    end();
                }
            }
        }

        private void sendAgainLater() {
            var next = sameCall.next(calls.threads().nanoTime());
            if (next.isPresent()) {
                due = next.getAsLong();
                deferred.add(this);
                waited.add(this);
                attempts.delayed();
            } else {
                settle(Outcome.UNKNOWN);
                end();
                failures.addLast(Nfs4Session.busy(plan, attempts.what()));
            }
        }

        /** The call waits for nothing any more. */
        void end() {
            if (waited.remove(this)) {
                attempts.close();
            }
        }

        /** Returns whether the call is made again, after a pause. */
        private boolean isAgain(IOException failure) {
            try {
                due = attempts.next(failure, calls.threads().nanoTime());
                deferred.add(this);
                waited.add(this);
                return true;
            } catch (RpcException last) {
                failures.addLast(Nfs4Session.ended(plan, attempts.what(), last));
            } catch (IOException last) {
                failures.addLast(last);
            }
            return false;
        }

        @Override
        public void failed(RpcException reason) {
            settle(Outcome.UNKNOWN);
            end();
            failures.addLast(Nfs4Session.ended(plan, attempts.what(), reason));
        }
    }

    private void submit(Planning planning, String what, Processing processing) {
        waiting.addLast(new Call(calls.attempts(planning, what), processing));
    }

    @Override
    public void read(
            OpenFile file,
            long offset,
            MemorySegment target,
            String what,
            OnSuccess<ReadData> onSuccess) {
        submit(
                FilePlans.reading(file, offset, target, what),
                what,
                results -> {
                    var data = results.done(1).next(DataResult.Read.class).data();
                    var attributes =
                            FilePlans.readsWithAttributes(file)
                                    ? Optional.of(FileResults.status(results))
                                    : Optional.<FileAttributes>empty();
                    onSuccess.done(new ReadData(attributes, data));
                });
    }

    @Override
    public void write(
            OpenFile file,
            long offset,
            Stability stability,
            MemorySegment data,
            String what,
            OnSuccess<Written> onSuccess) {
        submit(
                FilePlans.writing(file, offset, stability, data, what),
                what,
                results -> onSuccess.done(FileResults.written(results.done(1))));
    }

    @Override
    public void change(FileHandle file, AttributeChanges changes, String what) {
        var plan = FilePlans.changing(file, changes);
        submit(() -> plan, what, results -> results.done(2));
    }

    @Override
    public void rename(RemotePlace from, RemotePlace to, String what) {
        var plan = FilePlans.renaming(from, to);
        submit(() -> plan, what, results -> results.done(4));
    }

    @Override
    public boolean poll() throws IOException, InterruptedException {
        boolean isActive = !failures.isEmpty() || pollCalls();
        if (!failures.isEmpty()) {
            throw failures.removeFirst();
        }
        return isActive;
    }

    private boolean pollCalls() throws IOException, InterruptedException {
        while (failures.isEmpty()) {
            while (!deferred.isEmpty()
                    && deferred.element().due - calls.threads().nanoTime() <= 0) {
                var next = deferred.remove();
                if (next.isSent()) {
                    next.sendAgain();
                } else {
                    waiting.addLast(next);
                }
            }
            sendWaiting();
            if (pipeline.outstanding() > 0) {
                if (pipeline.poll(untilDue())) {
                    return true;
                }
            } else if (!waiting.isEmpty()) {
                awaitBegin();
            } else if (!deferred.isEmpty()) {
                calls.threads().sleep(untilDue().toNanos());
            } else {
                return false;
            }
        }
        return true;
    }

    /** Waits for the turn of a call, at most as long as for a reply. */
    private void awaitBegin() throws InterruptedException {
        var first = waiting.element();
        try {
            calls.awaitBegin(first.plan(), first.attempts.what(), first.beginDue());
        } catch (IOException failure) {
            waiting.remove();
            first.end();
            failures.addLast(failure);
        }
    }

    private Duration untilDue() {
        return deferred.isEmpty()
                ? FOREVER
                : Duration.ofNanos(
                        Math.max(0, deferred.element().due - calls.threads().nanoTime()));
    }

    private void sendWaiting() throws IOException, InterruptedException {
        while (!waiting.isEmpty()) {
            var next = waiting.remove();
            next.prepare();
            var begun = calls.begin(next.plan());
            if (begun.isEmpty()) {
                waiting.addFirst(next);
                return;
            }
            next.send(begun.get());
        }
    }

    @Override
    public void close() {
        waiting.clear();
        deferred.clear();
        List.copyOf(waited).forEach(Call::end);
        pipeline.close();
        // Nobody knows what becomes of them.
        List.copyOf(sent).forEach(each -> each.settle(Outcome.UNKNOWN));
    }
}
