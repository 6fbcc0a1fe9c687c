package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
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
    private final Queue<Unused> all = new ConcurrentLinkedQueue<>();

    /**
     * An open.
     *
     * @param at the current file of its OPEN
     * @param arguments of the OPEN, whose owner no other open has
     * @param stateId as far as it is known
     * @param mayBeOpen whether an OPEN may have been carried out since, or was without an answer
     */
    record Unused(
            FileHandle at,
            StateArguments.Open arguments,
            Optional<StateId> stateId,
            boolean mayBeOpen) {
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
                    .close(StateId.CURRENT);
        }
    }

    void add(Unused unused) {
        all.add(unused);
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
            if (isClosed(each, calls)) {
                all.remove(each);
            }
        }
        return all.isEmpty();
    }

    private static boolean isClosed(Unused unused, SessionRecovery calls)
            throws IOException, InterruptedException {
        if (unused.stateId().isPresent()) {
            var id = unused.stateId().get();
            var status = status(Plan.at(unused.at()).close(id), calls);
            if (isLater(status)) {
                return false;
            }
            if (isRevoked(status)) {
                status(Plan.EMPTY.free(id), calls);
            }
        }
        return !unused.mayBeOpen() || !isLater(status(unused.opening(), calls));
    }

    private static Nfs4Status status(Plan plan, SessionRecovery calls)
            throws IOException, InterruptedException {
        return calls.run(plan, "cannot close a file", Results::status);
    }

    private static boolean isLater(Nfs4Status status) {
        return status == Nfs4Status.DELAY || status == Nfs4Status.GRACE;
    }

    private static boolean isRevoked(Nfs4Status status) {
        return status == Nfs4Status.EXPIRED || status == Nfs4Status.ADMIN_REVOKED;
    }
}
