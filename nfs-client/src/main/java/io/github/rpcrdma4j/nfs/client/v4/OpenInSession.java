package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * A file that is open at the server of a session. The owner of the open is the same when the file
 * is opened once more, so a server that has not forgotten it after all has one open, not two. The
 * session keeps the order of calls. Thread-safe.
 *
 * <p>Tests: {@code LostStateTest}.
 */
final class OpenInSession extends OpenAtServer {
    private final OpenFiles all;
    private final Nfs4Session session;

    OpenInSession(
            OpenFiles all,
            Nfs4Session session,
            FileHandle handle,
            StateArguments.Open arguments,
            StateId stateId) {
        super(session, handle, arguments, stateId);
        this.all = all;
        this.session = session;
    }

    /** The sequence 0 means the newest one (RFC 8881, Section 8.2.2). */
    @Override
    StateId sent(StateId told) {
        return told.withSequence(0);
    }

    @Override
    <T> T inOrder(Planning planning, String what, CompoundCalls.Decoding<T> decoding)
            throws IOException, InterruptedException {
        return session.run(planning, what, decoding);
    }

    @Override
    void openOnceMore(String what) throws IOException, InterruptedException {
        // A server may keep what it has revoked until then (RFC 8881, Section 18.38.3).
        session.run(Plan.EMPTY.free(newest()), what, Results::status);
        session.run(opening(new OpenClaim.Handle()), what, results -> decided(results, what));
    }

    /** A silence may have been longer than the lease. */
    @Override
    void beforeUse(StateId ofLocks, String what) throws IOException, InterruptedException {
        if (!session.slots().mayLeaseHaveEnded()) {
            return;
        }
        try {
            var statuses =
                    session.run(
                            Plan.EMPTY.test(List.of(ofLocks)),
                            what,
                            results -> results.next(StateResult.TestStateId.class).statuses());
            if (statuses.stream().anyMatch(each -> each != Nfs4Status.OK)) {
                revoked(ofLocks);
            }
        } catch (NfsException _) {
            // The server checks the stateid when it is used.
        }
    }

    @Override
    void tidyUp() {
        session.slots().tidyUp(0);
    }

    @Override
    boolean isHeldUp(Plan plan) {
        return session.slots().isHeldUp(plan);
    }

    @Override
    void closedHere() {
        all.remove(this);
    }

    @Override
    void closedAtServer(boolean hadLocks) {
        // Its owner is of no further use.
    }

    @Override
    void leave(StateId open, boolean mayBeOpen) {
        all.leave(
                session,
                new UnusedOpens.Unused(
                        Nfs4Values.handle(handle()),
                        arguments(),
                        Optional.of(open),
                        mayBeOpen,
                        Optional.of(locks())));
    }

    @Override
    void part(Plan closing) throws IOException, InterruptedException {
        session.part(closing, CLOSING);
    }
}
