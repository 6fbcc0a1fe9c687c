package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.Waits;
import io.github.rpcrdma4j.nfs.client.v4.plan.Answer;
import io.github.rpcrdma4j.nfs.client.v4.plan.Changes;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.client.v4.session.Slot.Outcome;
import io.github.rpcrdma4j.nfs.client.v4.v40.ClientGone;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeArguments;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A client's lease at a server of version 4.0, which has no sessions (RFC 7530, Section 9.5). A
 * thread renews it. When the server has forgotten the client, one of its threads introduces it
 * again, and claims what it had, while the others wait. A call whose connection is lost is sent
 * again with its XID; if a change may have been made by the first copy, a refusal of the second one
 * is no proof. Thread-safe.
 *
 * <p>Tests: {@code LeaseTest}, {@code FileServiceTest}.
 */
final class Nfs4Lease implements CompoundCalls {
    /** The longest payload of a call, as servers have it. */
    private static final int DATA_MAX = 1 << 20;

    /** As many as each server takes. */
    private static final int OPERATIONS_MAX = 16;

    /** More room for a reply whose attributes were too long, in bytes. */
    private static final int MORE_ROOM = 64 << 10;

    /** How long {@link #close} lets the server take for each file. */
    private static final Duration FAREWELL = Duration.ofSeconds(2);

    private static final Compounds COMPOUNDS = new Compounds(0);

    private final Duration timeout;
    private final Waits waits;
    private final SessionThreads threads;
    private final RpcClient client;
    private final LeaseStanding standing;
    private final LeaseRecovery recovery;
    private final Thread keeper;
    private final Changes changes = new Changes();

    /** One thread introduces the client again; the others wait for that. Held during calls. */
    private final ReentrantLock recovering = new ReentrantLock();

    private Nfs4Lease(
            Connector nfs,
            ClientOwner name,
            LeasedState held,
            ClientOptions options,
            SessionThreads threads)
            throws IOException, InterruptedException {
        this.timeout = options.timeout();
        this.waits = options.waits();
        this.threads = threads;
        this.standing = new LeaseStanding(threads);
        this.client = threads.connect(counted(nfs), options.retry());
        this.recovery = new LeaseRecovery(this, standing, name, held);
        this.keeper = threads.unstarted("nfs4-lease", new LeaseKeeper(this, standing, held)::run);
    }

    /**
     * Introduces a client.
     *
     * @param name of no other client
     * @param held the state that the client will have
     * @throws IOException if the server cannot be reached, or refuses
     */
    static Nfs4Lease open(
            Connector nfs,
            ClientOwner name,
            LeasedState held,
            ClientOptions options,
            SessionThreads threads)
            throws IOException, InterruptedException {
        var lease = new Nfs4Lease(nfs, name, held, options, threads);
        try {
            // Nothing was open before, so nobody is told of a recovery.
            lease.recovery.run();
            lease.keeper.start();
            return lease;
        } catch (IOException | InterruptedException | RuntimeException failure) {
            lease.client.close();
            throw failure;
        }
    }

    /** Returns a connector that counts connections. */
    private Connector counted(Connector nfs) {
        return new Connector() {
            @Override
            public RpcClient connect() throws RpcException, InterruptedException {
                standing.connected();
                return nfs.connect();
            }

            @Override
            public RpcClient connect(Duration atMost) throws RpcException, InterruptedException {
                standing.connected();
                return nfs.connect(atMost);
            }

            @Override
            public void lost(RpcException why) {
                nfs.lost(why);
            }

            @Override
            public void lossEnded(boolean isConnected) {
                nfs.lossEnded(isConnected);
            }
        };
    }

    /** A call of a plan, as it was when it began. */
    private record Sent(
            Nfs4Lease lease, Plan plan, Compounds.Call call, LeaseStanding.Moment moment)
            implements Sending {
        @Override
        public Outcome outcome(Answer answer) {
            if (answer.results().isEmpty()) {
                return Outcome.UNKNOWN;
            }
            lease.standing.heard(answer.status(), moment);
            return LeaseRefusals.isOfOperation(answer.status(), plan, isRepeated())
                    ? Outcome.SUCCEEDED
                    : Outcome.REFUSED;
        }

        @Override
        public Results results(Answer answer, String what) {
            return new Results(answer, 0, what);
        }

        @Override
        public IOException refusal(Answer answer, Outcome outcome, String what) {
            return LeaseRefusals.of(answer, outcome, plan, isRepeated(), what);
        }

        private boolean isRepeated() {
            return lease.standing.mayBeRepeated(moment);
        }

        @Override
        public void settle(Outcome outcome) {
            lease.changes.note(plan);
        }
    }

    @Override
    public Optional<Sending> begin(Plan plan) {
        return Optional.of(sent(plan));
    }

    private Sent sent(Plan plan) {
        changes.note(plan);
        return new Sent(this, plan, COMPOUNDS.alone(plan), standing.now());
    }

    @Override
    public void awaitBegin(Plan plan, String what, long due) {
        // Each call begins at once.
    }

    /** Returns the ID by which the server knows the client. */
    long clientId() {
        return standing.clientId();
    }

    /** Lets the keeper close what nobody uses. */
    void tidyUp() {
        standing.tidyUp();
    }

    /** Introduces the client again, if the server has forgotten it, or waits until that is done. */
    void requireHeld() throws IOException, InterruptedException {
        if (standing.isHeld()) {
            return;
        }
        try (var _ = waits.begin(Waits.Reason.RECOVERY)) {
            recovering.lockInterruptibly();
            try {
                if (!standing.isHeld()) {
                    recovery.run();
                }
            } finally {
                recovering.unlock();
            }
        }
    }

    @Override
    public <T> T run(Planning planning, String what, Decoding<T> decoding)
            throws IOException, InterruptedException {
        return runBy(planning, what, plan -> once(plan, what, timeout, decoding));
    }

    /** Makes one attempt of a call. */
    interface Attempt<T> {
        T run(Plan plan) throws IOException, InterruptedException;
    }

    /** Runs the plans of a call likewise, each by an attempt of its own. */
    <T> T runBy(Planning planning, String what, Attempt<T> attempt)
            throws IOException, InterruptedException {
        try (var attempts = attempts(planning, what)) {
            while (true) {
                try {
                    requireHeld();
                    return attempt.run(planning.plan());
                } catch (IOException failure) {
                    long due = attempts.next(failure, threads.nanoTime());
                    threads.sleep(due - threads.nanoTime());
                }
            }
        }
    }

    /** Hears the answer to a call, before its results are used. */
    interface Hearing {
        void heard(Answer answer);
    }

    private <T> T once(Plan plan, String what, Duration atMost, Decoding<T> decoding)
            throws IOException, InterruptedException {
        return once(plan, what, atMost, _ -> {}, decoding);
    }

    /**
     * Runs a plan once. If its attributes were too long for a reply, it runs once more, with more
     * room (RFC 8267-6.2.1-1): a plan with a change that must not be made twice has none of unknown
     * length (RFC 8267-6.2.1-2).
     *
     * @throws ClientGone if the server has forgotten the client, or a stateid
     */
    <T> T once(Plan plan, String what, Duration atMost, Hearing hearing, Decoding<T> decoding)
            throws IOException, InterruptedException {
        try {
            return answered(plan, what, atMost, hearing, decoding);
        } catch (RpcException.TransportRefused refused) {
            if (!mayBeTooLong(plan)) {
                throw Nfs4Session.ended(plan, what, refused);
            }
        } catch (RpcException failure) {
            throw Nfs4Session.ended(plan, what, failure);
        }
        var longer =
                new Plan(
                        plan.operations(),
                        plan.resultsMax() + MORE_ROOM,
                        plan.isRepeatable(),
                        plan.targets());
        try {
            return answered(longer, what, atMost, hearing, decoding);
        } catch (RpcException failure) {
            throw Nfs4Session.ended(plan, what, failure);
        }
    }

    private static boolean mayBeTooLong(Plan plan) {
        return plan.isRepeatable()
                && plan.operations().stream()
                        .anyMatch(AttributeArguments.GetAttr.class::isInstance);
    }

    private <T> T answered(
            Plan plan, String what, Duration atMost, Hearing hearing, Decoding<T> decoding)
            throws IOException, InterruptedException {
        var sent = sent(plan);
        try (var reply = client.call(sent.call().rpc(), atMost)) {
            var answer = Answer.decode(reply.results(), sent.call().operations());
            hearing.heard(answer);
            var outcome = sent.outcome(answer);
            if (outcome == Outcome.SUCCEEDED) {
                return decoding.of(sent.results(answer, what));
            }
            throw sent.refusal(answer, outcome, what);
        } finally {
            changes.note(plan);
        }
    }

    /** Returns how long {@link #close} lets the server take for each file. */
    static Duration farewell() {
        return FAREWELL;
    }

    @Override
    public int roomForData() {
        return DATA_MAX;
    }

    @Override
    public int operationsMax() {
        return OPERATIONS_MAX;
    }

    /** Without a session only the transport limits a reply, by an error in place of the results. */
    @Override
    public boolean endsAtItsLimit() {
        return false;
    }

    @Override
    public Attempts attempts(Planning planning, String what) {
        return new Attempts(planning, what, timeout, standing::grace, waits, threads.nanoTime());
    }

    @Override
    public Changes changes() {
        return changes;
    }

    @Override
    public RpcClient client() {
        return client;
    }

    @Override
    public Duration timeout() {
        return timeout;
    }

    @Override
    public Waits waits() {
        return waits;
    }

    @Override
    public SessionThreads threads() {
        return threads;
    }

    /** The server keeps the client until its lease ends: version 4.0 has no call that ends it. */
    @Override
    public void close() {
        standing.close();
        keeper.interrupt();
        client.close();
    }
}
