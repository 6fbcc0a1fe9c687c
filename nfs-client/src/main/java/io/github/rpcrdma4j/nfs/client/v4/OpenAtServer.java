package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.client.v4.state.OpenState;
import io.github.rpcrdma4j.nfs.client.v4.state.OpenState.Event;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * A file that is open at the server of a session. The owner of the open is the same when the file
 * is opened once more, so a server that has not forgotten it after all has one open, not two.
 * Thread-safe.
 *
 * <p>Tests: {@code LostStateTest}.
 */
final class OpenAtServer implements OpenFile {
    private final OpenFiles all;
    private final Nfs4Session session;
    private final FileHandle handle;
    private final StateArguments.Open arguments;

    /** One thread opens the file once more; the others wait for it. Held during calls. */
    private final ReentrantLock opening = new ReentrantLock();

    /** Guarded by this object, like the fields below. */
    private StateId stateId;

    private OpenState state = OpenState.OPEN;

    /** Why the file cannot be opened any more. */
    private NfsException why;

    private boolean isClosed;

    OpenAtServer(
            OpenFiles all,
            Nfs4Session session,
            FileHandle handle,
            StateArguments.Open arguments,
            StateId stateId) {
        this.all = all;
        this.session = session;
        this.handle = handle;
        this.arguments = arguments;
        this.stateId = stateId;
    }

    @Override
    public FileHandle handle() {
        return handle;
    }

    /** Makes plans with the stateid that the open has then. */
    private final class Use implements Planning {
        private final String what;
        private final Function<StateId, Plan> plan;
        private StateId used;

        Use(String what, Function<StateId, Plan> plan) {
            this.what = what;
            this.plan = plan;
        }

        @Override
        public Plan plan() throws IOException, InterruptedException {
            openAgain(what);
            used = newest();
            return plan.apply(used);
        }

        @Override
        public boolean hearsOfLoss() {
            revoked(used);
            return state() != OpenState.LOST;
        }
    }

    /**
     * Returns the planning of a call that uses the open.
     *
     * @param what for the message of a failure
     * @param plan of a stateid
     */
    Planning use(String what, Function<StateId, Plan> plan) {
        return new Use(what, plan);
    }

    /** Returns a stateid that means the newest one of the open (RFC 8881, Section 8.2.2). */
    synchronized StateId newest() {
        return stateId.withSequence(0);
    }

    /** Hears that the server has forgotten its clients. */
    synchronized void forgotten(boolean canClaim) {
        state = state.after(canClaim ? Event.RESTARTED : Event.REVOKED);
    }

    /** Hears that the server does not know a stateid: that of the open, unless it has another. */
    synchronized void revoked(StateId unknown) {
        if (newest().equals(unknown)) {
            state = state.after(Event.REVOKED);
        }
    }

    private synchronized OpenState state() {
        return state;
    }

    private synchronized void heard(Nfs4Status status, StateId opened, String what) {
        state = state.after(Event.ofOpen(status));
        switch (state) {
            case OPEN -> stateId = opened;
            case LOST ->
                    why =
                            NfsException.found(
                                    what,
                                    "the server has forgotten that it is open, and does not open it"
                                            + " again: "
                                            + Nfs4Values.status(status).description(),
                                    Status.NOT_OPEN);
            case BEFORE_RESTART, FORGOTTEN -> {}
        }
    }

    /** Claims the open, if it is one of before a restart. */
    void claim(SessionRecovery calls) throws IOException, InterruptedException {
        if (state() == OpenState.BEFORE_RESTART) {
            // As it was opened without a delegation.
            var plan = opening(new OpenClaim.Previous(0));
            var what = "cannot claim an open file";
            try {
                calls.run(plan, what, results -> decided(results, what));
            } catch (NfsException _) {
                // The server was busy for too long: no claim is made behind the last one.
                heard(Nfs4Status.NO_GRACE, stateId, what);
            }
        }
    }

    private Plan opening(OpenClaim claim) {
        return Plan.at(Nfs4Values.handle(handle))
                .open(
                        new StateArguments.Open(
                                0,
                                arguments.access(),
                                0,
                                arguments.owner(),
                                new OpenCreation.None(),
                                claim));
    }

    /** Takes note of an answer to OPEN; throws one that asks for another attempt. */
    private Nfs4Status decided(Results results, String what) throws IOException {
        var status = results.status();
        if (Event.ofOpen(status) == Event.DEFERRED) {
            throw new NfsException(what, Nfs4Values.status(status));
        }
        heard(
                status,
                status == Nfs4Status.OK
                        ? results.done(1).next(StateResult.Open.class).open()
                        : stateId,
                what);
        return status;
    }

    /** Opens the file once more, if the server has forgotten it. */
    private void openAgain(String what) throws IOException, InterruptedException {
        if (state() == OpenState.OPEN || state() == OpenState.BEFORE_RESTART) {
            return;
        }
        opening.lockInterruptibly();
        try {
            if (state() == OpenState.FORGOTTEN) {
                // A server may keep what it has revoked until then (RFC 8881, Section 18.38.3).
                session.run(Plan.EMPTY.free(newest()), what, Results::status);
                session.run(
                        opening(new OpenClaim.Handle()), what, results -> decided(results, what));
            }
            synchronized (this) {
                if (state == OpenState.LOST) {
                    throw NfsException.found(what, why.reason(), why.status());
                }
            }
        } finally {
            opening.unlock();
        }
    }

    /** Returns whether this is the first call of it. */
    private synchronized boolean isClosedNow() {
        boolean isFirst = !isClosed;
        isClosed = true;
        all.remove(this);
        return isFirst;
    }

    private synchronized Plan closing() {
        return Plan.at(Nfs4Values.handle(handle)).close(stateId);
    }

    /** Closes the file in one attempt, if it is open. Returns false if that failed. */
    boolean isClosedAtOnce() {
        return !isClosedNow() || session.part(closing(), "cannot close a file");
    }

    @Override
    public void close() {
        if (!isClosedNow() || state() != OpenState.OPEN) {
            return;
        }
        boolean interrupted = Thread.interrupted();
        try {
            session.run(closing(), "cannot close a file", results -> results.done(2));
        } catch (IOException _) {
            // The lease ends it.
        } catch (InterruptedException _) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
