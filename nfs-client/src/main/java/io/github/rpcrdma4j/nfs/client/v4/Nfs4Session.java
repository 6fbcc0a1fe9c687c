package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.file.DeferredRetry;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.OutcomeUnknownException;
import io.github.rpcrdma4j.nfs.client.service.Waits;
import io.github.rpcrdma4j.nfs.client.v4.plan.Answer;
import io.github.rpcrdma4j.nfs.client.v4.plan.Changes;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.client.v4.session.Slot.Outcome;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * A client's session at a server: each call takes a slot, and gives it back when its outcome is
 * known. A thread of the session renews the lease, and finds out what became of calls that ended
 * here without an outcome. A session that the server has forgotten is made anew. Thread-safe.
 */
final class Nfs4Session implements CompoundCalls {
    /** How long {@link #close} lets the server take. */
    private static final Duration FAREWELL = Duration.ofSeconds(2);

    private final Compounds compounds;
    private final Duration timeout;
    private final ServerSessions sessions;
    private final BackChannel backChannel;

    /** Whether connections carry callbacks. */
    private final boolean hasCallbacks;

    private final Waits waits;
    private final SessionThreads threads;
    private final SessionConnections connections;
    private final RpcClient client;
    private final SessionRecovery recovery;
    private final Thread keeper;
    private final Changes changes = new Changes();

    private final SessionSlots slots;

    private Nfs4Session(
            Compounds compounds,
            ServerSessions sessions,
            HeldState held,
            Connector nfs,
            ClientOptions options,
            SessionThreads threads)
            throws IOException, InterruptedException {
        this.threads = threads;
        this.slots = new SessionSlots(threads);
        this.compounds = compounds;
        this.sessions = sessions;
        this.timeout = options.timeout();
        this.waits = options.waits();
        this.backChannel = new BackChannel(compounds.minorVersion(), events(held));
        var withCallbacks = nfs.serving(backChannel);
        this.hasCallbacks = withCallbacks.isPresent();
        this.connections =
                new SessionConnections(
                        withCallbacks.orElse(nfs), options.connections(), sessions, slots, threads);
        this.client = threads.connect(connections, options.retry());
        this.recovery = new SessionRecovery(this, sessions, held);
        this.keeper = threads.unstarted("nfs4-session", new SessionKeeper(this, recovery)::run);
    }

    /**
     * Makes a session.
     *
     * @param owner the name of this client
     * @param held the state that the client will have
     * @param threads the source of clock and threads
     * @throws IOException if the server cannot be reached, or refuses
     */
    static Nfs4Session open(
            Connector nfs,
            ClientOwner owner,
            HeldState held,
            int minorVersion,
            ClientOptions options,
            SessionThreads threads)
            throws IOException, InterruptedException {
        var compounds = new Compounds(minorVersion);
        var sessions = new ServerSessions(compounds, owner, options.timeout());
        var session = new Nfs4Session(compounds, sessions, held, nfs, options, threads);
        try {
            session.recovery.begin();
            session.slots.recovered();
            session.keeper.start();
            return session;
        } catch (IOException | InterruptedException | RuntimeException failure) {
            session.client.close();
            throw failure;
        }
    }

    private BackChannel.Events events(HeldState held) {
        return new BackChannel.Events() {
            @Override
            public void lockMayBeFree(CallbackArguments.NotifyLock notice) {
                held.lockMayBeFree(notice);
            }

            @Override
            public void slotsRecalled(int highest) {
                slots.recall(highest);
            }

            @Override
            public void copyEnded(CallbackArguments.Offload end) {
                held.copyEnded(end);
            }
        };
    }

    /** Makes a session, as the present one. Returns the client as the server knows it then. */
    ServerSessions.KnownClient make(ServerSessions.KnownClient known)
            throws IOException, InterruptedException {
        long sent = threads.nanoTime();
        connections.beforeSession();
        var made = sessions.make(client, known, hasCallbacks);
        backChannel.begin(made.id());
        slots.begin(made, sent);
        connections.begin(made);
        return made.client();
    }

    /** Binds the connection to the session once more, because the server cannot call back. */
    void bindAgain() throws IOException, InterruptedException {
        connections.bindAgain(client);
    }

    /** Returns the most bytes of a message that the server takes, and of one that it sends. */
    int messageMax() {
        var fore = slots.live().made().fore();
        return (int)
                Math.min(
                        Integer.MAX_VALUE,
                        Math.min(
                                Integer.toUnsignedLong(fore.requestMax()),
                                Integer.toUnsignedLong(fore.responseMax())));
    }

    @Override
    public int roomForData() {
        return messageMax() - Compounds.BESIDE_DATA;
    }

    @Override
    public int operationsMax() {
        return (int)
                Math.min(
                        Integer.MAX_VALUE,
                        Integer.toUnsignedLong(slots.live().made().fore().operations()));
    }

    /** The server tells in its results that they are too long for the session. */
    @Override
    public boolean endsAtItsLimit() {
        return true;
    }

    @Override
    public <T> T run(Planning planning, String what, Decoding<T> decoding)
            throws IOException, InterruptedException {
        try (var attempts = attempts(planning, what)) {
            while (true) {
                try {
                    return once(planning.plan(), what, timeout, slots::take, decoding);
                } catch (IOException failure) {
                    long due = attempts.next(failure, threads.nanoTime());
                    sleepUntil(due);
                }
            }
        }
    }

    /** Waits until a time by the clock of the threads. */
    void sleepUntil(long due) throws InterruptedException {
        threads.sleep(due - threads.nanoTime());
    }

    @Override
    public Waits waits() {
        return waits;
    }

    @Override
    public SessionThreads threads() {
        return threads;
    }

    @Override
    public Attempts attempts(Planning planning, String what) {
        return new Attempts(planning, what, timeout, slots::grace, waits, threads.nanoTime());
    }

    /** Runs a plan once, and for a short time, because the session ends. */
    void part(Plan plan, String what) throws IOException, InterruptedException {
        once(plan, what, FAREWELL, slots::take, Results::end);
    }

    /** Gives a slot to a call. */
    interface SlotSource {
        SlotTicket take(Plan plan, String what, Duration timeout)
                throws IOException, InterruptedException;
    }

    /**
     * Runs a plan once: the same call again while the server works on it.
     *
     * @throws SessionGone if the server has forgotten the session, which is lost then
     */
    <T> T once(Plan plan, String what, Duration timeout, SlotSource source, Decoding<T> decoding)
            throws IOException, InterruptedException {
        var retry = new DeferredRetry(timeout, threads.nanoTime());
        var ticket = source.take(plan, what, timeout);
        var outcome = Outcome.UNKNOWN;
        try (var wait = waits.ofCall()) {
            while (true) {
                var call = call(plan, ticket);
                try (var reply = client.call(call.rpc(), timeout)) {
                    var answer = Answer.decode(reply.results(), call.operations());
                    outcome = outcome(answer, ticket);
                    if (outcome == Outcome.SUCCEEDED) {
                        return decoding.of(SentInSlot.resultsInSession(answer, what));
                    }
                    if (!outcome.isSentAgain()) {
                        throw refusal(answer, outcome, ticket, plan, what);
                    }
                }
                var due = retry.next(threads.nanoTime());
                if (due.isEmpty()) {
                    throw busy(plan, what);
                }
                wait.on(Waits.Reason.BUSY);
                sleepUntil(due.getAsLong());
            }
        } catch (RpcException failure) {
            throw ended(plan, what, failure);
        } finally {
            // Without a result of SEQUENCE the keeper finds out what became of the number: the
            // slot would be of no use any more (RFC 8267-6.6-2, 8267-6.6-5).
            settle(ticket, outcome);
        }
    }

    /**
     * Returns the failure of a call that ended without its results. An error of the transport ends
     * the call, and none is sent again for it (RFC 8267-6.4.2-4, 8267-6.7.2-2). The client sends a
     * call again with the same slot and number if its connection was lost (RFC 8267-6.7.2-3; RFC
     * 8881, Section 2.10.6.2).
     */
    static IOException ended(Plan plan, String what, RpcException failure) {
        return switch (failure) {
            case RpcException.TransportRefused _, RpcException.BadReply _ ->
                    plan.isRepeatable() ? failure : new OutcomeUnknownException(what, failure);
            case RpcException.Refused refused when refused.status() == AcceptStatus.SYSTEM_ERR ->
                    plan.isRepeatable() ? failure : new OutcomeUnknownException(what, failure);
            // The server has done nothing, or this is no matter of one call.
            case RpcException told -> told;
        };
    }

    /** Returns the failure of a call on which the server works for too long. */
    static IOException busy(Plan plan, String what) {
        return !plan.mayUndoLater()
                ? new NfsException(what, Nfs4Values.status(Nfs4Status.DELAY))
                : new IOException(
                        what
                                + ": it is not known whether the server will have done it: it has"
                                + " not ended in time");
    }

    /** Returns the failure of a call whose SEQUENCE did not succeed. */
    IOException refusal(Answer answer, Outcome outcome, SlotTicket ticket, Plan plan, String what) {
        return switch (outcome) {
            case SPENT ->
                    plan.isRepeatable()
                            ? new NfsException(what, Nfs4Values.status(Nfs4Status.DELAY))
                            : new RpcException.BadReply("its answer is lost");
            case REFUSED, NO_SLOT, DISORDER ->
                    switch (answer.status()) {
                        case BADSESSION, DEADSESSION -> gone(plan, ticket);
                        default -> {
                            var status =
                                    isForNow(answer, outcome) ? Nfs4Status.DELAY : answer.status();
                            var told = new NfsException(what, Nfs4Values.status(status));
                            // The server may have carried out a copy that it got before this one.
                            yield plan.mayUndoLater() && slots.mayBeRepeated(ticket)
                                    ? new OutcomeUnknownException(what, told)
                                    : told;
                        }
                    };
            case SUCCEEDED, DELAYED, UNBOUND, CUT, UNKNOWN, UNSENT ->
                    new RpcException.BadReply(
                            what
                                    + ": the server's answer is malformed"
                                    + answer.malformed().map(each -> ": " + each).orElse(""));
        };
    }

    /** Returns whether another slot may have it, or a later call. */
    private static boolean isForNow(Answer answer, Outcome outcome) {
        return outcome != Outcome.REFUSED || answer.status() == Nfs4Status.BAD_HIGH_SLOT;
    }

    private SessionGone gone(Plan plan, SlotTicket ticket) {
        slots.lose(ticket.live());
        return new SessionGone(!plan.isRepeatable() && slots.mayBeRepeated(ticket));
    }

    /** Returns what an answer says of the slot. */
    Outcome outcome(Answer answer, SlotTicket ticket) {
        if (answer.results().isEmpty()) {
            return Outcome.UNKNOWN;
        }
        var first = answer.results().getFirst();
        if (first.status() != Nfs4Status.OK) {
            return first.opcode() == Opcode.SEQUENCE
                    ? Outcome.ofFailure(first.status())
                    : Outcome.UNKNOWN;
        }
        if (first instanceof SessionResult.Sequence sequence && isOf(sequence, ticket.sequence())) {
            slots.heard(ticket, sequence);
            return Outcome.SUCCEEDED;
        }
        return Outcome.UNKNOWN;
    }

    private static boolean isOf(SessionResult.Sequence result, SessionArguments.Sequence sent) {
        return result.session().equals(sent.session())
                && result.slot() == sent.slot()
                && result.sequence() == sent.sequence();
    }

    /** Returns the call of a plan with a ticket. */
    Compounds.Call call(Plan plan, SlotTicket ticket) {
        changes.note(plan);
        return compounds.inSession(ticket.sequence(), plan, ticket.live().made().resultsMax());
    }

    /** Ends the call of a ticket. Ending it twice is harmless. */
    void settle(SlotTicket ticket, Outcome outcome) {
        changes.note(ticket.plan());
        slots.settle(ticket, outcome);
    }

    /** Takes a slot, if one is free, and nothing holds the plan up. */
    @Override
    public Optional<Sending> begin(Plan plan) {
        return slots.tryTake(plan)
                .map(ticket -> new SentInSlot(this, plan, ticket, call(plan, ticket)));
    }

    @Override
    public void awaitBegin(Plan plan, String what, long due)
            throws IOException, InterruptedException {
        slots.awaitSlot(plan, what, due);
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

    /** Returns the slots, which calls of pipelines and the keeper take. */
    SessionSlots slots() {
        return slots;
    }

    @Override
    public void close() {
        if (!slots.close()) {
            return;
        }
        keeper.interrupt();
        try {
            new ServerSessions(compounds, new ClientOwner(0, Compounds.NO_TAG), FAREWELL)
                    .end(client, slots.live().made());
        } catch (IOException _) {
            // The lease ends it.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        client.close();
    }
}
