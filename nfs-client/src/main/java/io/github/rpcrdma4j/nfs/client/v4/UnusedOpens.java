package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.LockRange;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.io.IOException;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Opens that the server may have although nobody uses them here: nobody knows what became of their
 * OPEN, or their CLOSE has failed. The keeper of the session closes them, because a server keeps
 * what a client has opened for as long as it renews its lease. Thread-safe.
 *
 * <p>Tests: {@code SimulatedFaultsTest}, {@code SimulatedServersTest}.
 */
final class UnusedOpens {
    private static final String WHAT = "cannot close a file";

    private final Queue<Unused> all = new ConcurrentLinkedQueue<>();

    /**
     * An open.
     *
     * @param at the current file of its OPEN
     * @param arguments of the OPEN, whose owner no other open has
     * @param stateId as far as it is known
     * @param mayBeOpen whether an OPEN may have been carried out since, or was without an answer
     * @param locks of the open file; empty if it was never used
     */
    record Unused(
            FileHandle at,
            StateArguments.Open arguments,
            Optional<StateId> stateId,
            boolean mayBeOpen,
            Optional<LocksOfOpen> locks) {
        Unused(
                FileHandle at,
                StateArguments.Open arguments,
                Optional<StateId> stateId,
                boolean mayBeOpen) {
            this(at, arguments, stateId, mayBeOpen, Optional.empty());
        }

        /**
         * Returns what is left of an OPEN whose COMPOUND did not come to the CLOSE.
         *
         * @param at the current file of the OPEN
         * @param open its result
         * @param results all results, among them that of GETFH
         */
        static Unused left(
                FileHandle at,
                StateArguments.Open arguments,
                StateResult.Open open,
                Results results) {
            return results.handle()
                    .map(
                            file ->
                                    new Unused(
                                            file,
                                            arguments,
                                            Optional.of(open.open().withSequence(0)),
                                            false))
                    .orElse(new Unused(at, arguments, Optional.empty(), true));
        }

        /** Returns a plan that opens the file once more for its owner, and then closes it. */
        private Plan opening() {
            return Plan.at(at)
                    .open(
                            new StateArguments.Open(
                                    0,
                                    arguments.access(),
                                    0,
                                    arguments.owner(),
                                    new OpenCreation.None(),
                                    arguments.claim()))
                    .handle()
                    .close(StateId.CURRENT);
        }

        /** Returns what of the plan is left to do. */
        private Optional<Unused> left(Results results) throws IOException {
            var status = results.status();
            if (status == Nfs4Status.OK) {
                return Optional.empty();
            }
            try {
                return Optional.of(
                        left(at, arguments, results.done(1).next(StateResult.Open.class), results));
            } catch (NfsException _) {
                return isLater(status) ? Optional.of(this) : Optional.empty();
            }
        }
    }

    void add(Unused unused) {
        all.add(unused);
    }

    /** Closes what is known to be open in one attempt each. Ends with the first failure. */
    void closeAll(Nfs4Session session) {
        for (var each : all) {
            var id = each.stateId();
            if (id.isPresent()
                    && !LastAttempt.succeeds(
                            () -> session.part(Plan.at(each.at()).close(id.get()), WHAT))) {
                return;
            }
        }
    }

    /** Hears that the server has forgotten all opens. */
    void forget() {
        all.clear();
    }

    /**
     * Closes what the server lets be closed now.
     *
     * @return whether nothing is left
     */
    boolean close(SessionRecovery calls) throws IOException, InterruptedException {
        for (var each : all) {
            // The server may carry its OPEN out after the CLOSE.
            if (calls.isInDoubt()) {
                return false;
            }
            var left = closed(each, calls);
            if (!left.equals(Optional.of(each))) {
                all.remove(each);
                left.ifPresent(all::add);
            }
        }
        return all.isEmpty();
    }

    /** Closes a file as far as the server lets it. Returns what is left to close. */
    private static Optional<Unused> closed(Unused unused, SessionRecovery calls)
            throws IOException, InterruptedException {
        if (unused.stateId().isPresent()) {
            var id = unused.stateId().get();
            if (unused.locks().isPresent()
                    && !isUnlocked(unused, unused.locks().get(), id, calls)) {
                return Optional.of(unused);
            }
            var status = status(Plan.at(unused.at()).close(id), calls);
            if (isLater(status)) {
                return Optional.of(unused);
            }
            if (isRevoked(status)) {
                status(Plan.EMPTY.free(id), calls);
            }
        }
        return unused.mayBeOpen()
                ? calls.run(unused.opening(), WHAT, unused::left)
                : Optional.empty();
    }

    /** A server may refuse to close a file that has locks (RFC 8881, Section 18.2.3). */
    private static boolean isUnlocked(
            Unused unused, LocksOfOpen locks, StateId open, SessionRecovery calls)
            throws IOException, InterruptedException {
        if (!new LateLocks(unused.at(), locks).areUnlocked(open, calls)) {
            return false;
        }
        var unlocking = locks.unlocking(LockRange.ALL);
        return unlocking.isEmpty()
                || !isLater(status(Plan.at(unused.at()).unlock(unlocking.get()), calls));
    }

    private static Nfs4Status status(Plan plan, SessionRecovery calls)
            throws IOException, InterruptedException {
        return calls.run(plan, WHAT, Results::status);
    }

    private static boolean isLater(Nfs4Status status) {
        return status == Nfs4Status.DELAY || status == Nfs4Status.GRACE;
    }

    private static boolean isRevoked(Nfs4Status status) {
        return status == Nfs4Status.EXPIRED || status == Nfs4Status.ADMIN_REVOKED;
    }
}
