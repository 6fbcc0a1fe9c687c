package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The open files of a client. Each open has an owner of its own, so that the server never joins two
 * opens into one, and none ends with another (RFC 8881, Section 9.7). What the server forgets is
 * claimed after a restart, and otherwise opened once more at its next use. Thread-safe.
 *
 * <p>Tests: {@code Nfs4SessionTest}, {@code LostStateTest}.
 */
final class OpenFiles implements HeldState {
    /** So many stateids are asked about in a call. */
    private static final int TESTED_MAX = 32;

    private final AtomicLong owners = new AtomicLong();

    /** In the order in which they were opened. */
    private final Set<OpenInSession> open =
            new ConcurrentSkipListSet<>(Comparator.comparingLong(OpenInSession::number));

    /** What the server may have open although nobody uses it. */
    private final UnusedOpens unused = new UnusedOpens();

    private final ServerSideCopies.Ends copies;

    /**
     * @param copies hears of copies
     */
    OpenFiles(ServerSideCopies.Ends copies) {
        this.copies = copies;
    }

    /** Returns arguments of OPEN for a new owner, without a wish for a delegation. */
    StateArguments.Open arguments(OpenFile.Mode mode, OpenCreation creation, OpenClaim claim) {
        var name = ByteBuffer.allocate(Long.BYTES).putLong(owners.incrementAndGet()).array();
        return new StateArguments.Open(
                0,
                access(mode) | StateArguments.Open.WANT_NO_DELEG,
                0,
                new StateOwner(0, OpaqueName.of(name)),
                creation,
                claim);
    }

    static int access(OpenFile.Mode mode) {
        return switch (mode) {
            case READ -> StateArguments.Open.READ;
            case WRITE -> StateArguments.Open.WRITE;
            case BOTH -> StateArguments.Open.BOTH;
        };
    }

    /** Opens a file by its handle. */
    OpenInSession open(Nfs4Session session, FileHandle file, OpenFile.Mode mode, String what)
            throws IOException, InterruptedException {
        var arguments = arguments(mode, new OpenCreation.None(), new OpenClaim.Handle());
        var at = Nfs4Values.handle(file);
        var result =
                opened(
                        session,
                        at,
                        arguments,
                        () ->
                                session.run(
                                        Plan.at(at).open(arguments),
                                        what,
                                        results -> results.done(1).next(StateResult.Open.class)));
        var opened = opened(session, file, arguments, result);
        giveBack(session, at, result.delegation());
        return opened;
    }

    /** Takes note of a file that was opened, which is opened again by its handle. */
    OpenInSession opened(
            Nfs4Session session,
            FileHandle file,
            StateArguments.Open arguments,
            StateResult.Open result) {
        var again =
                new StateArguments.Open(
                        0,
                        arguments.access(),
                        0,
                        arguments.owner(),
                        new OpenCreation.None(),
                        new OpenClaim.Handle());
        var opened = new OpenInSession(this, session, file, again, result.open());
        open.add(opened);
        return opened;
    }

    /** A call that opens a file, or locks it. */
    interface Opening<T> {
        T run() throws IOException, InterruptedException;
    }

    /**
     * Makes a call that opens a file. If nobody knows what became of it, it is closed later.
     *
     * @param at the current file of its OPEN
     */
    <T> T opened(
            Nfs4Session session,
            io.github.rpcrdma4j.nfs.v4.type.FileHandle at,
            StateArguments.Open arguments,
            Opening<T> call)
            throws IOException, InterruptedException {
        boolean isKnown = false;
        try {
            var result = call.run();
            isKnown = true;
            return result;
        } catch (NfsException refused) {
            isKnown = true;
            throw refused;
        } finally {
            if (!isKnown) {
                leave(session, new UnusedOpens.Unused(at, arguments, Optional.empty(), true));
            }
        }
    }

    /** Leaves to the session to close what nobody uses. */
    void leave(Nfs4Session session, UnusedOpens.Unused open) {
        unused.add(open);
        session.slots().tidyUp(0);
    }

    /**
     * Gives a delegation back: servers may give one that nobody wants, and other clients wait for
     * it. What fails then is no matter of the file that was opened.
     *
     * @param file the one that was opened
     */
    static void giveBack(
            CompoundCalls calls,
            io.github.rpcrdma4j.nfs.v4.type.FileHandle file,
            OpenDelegation delegation)
            throws InterruptedException {
        var given =
                switch (delegation) {
                    case OpenDelegation.None _, OpenDelegation.Refused _ -> null;
                    case OpenDelegation.Read read -> read.stateId();
                    case OpenDelegation.Write write -> write.stateId();
                };
        if (given == null) {
            return;
        }
        try {
            calls.run(
                    Plan.at(file).returned(given),
                    "cannot give a delegation back",
                    results -> results.done(2));
        } catch (IOException _) {
            // It ends with the lease.
        }
    }

    /** Takes a file out that is closed here. */
    void remove(OpenInSession closed) {
        open.remove(closed);
    }

    @Override
    public void lockMayBeFree(CallbackArguments.NotifyLock notice) {
        open.forEach(each -> each.hear(notice));
    }

    @Override
    public void copyEnded(CallbackArguments.Offload end) {
        copies.hear(end);
    }

    @Override
    public void forgotten(boolean canClaim) {
        copies.forget();
        unused.forget();
        open.forEach(each -> each.forgotten(canClaim));
    }

    @Override
    public void claim(SessionRecovery calls) throws IOException, InterruptedException {
        for (var each : open) {
            each.claim(calls);
        }
    }

    @Override
    public boolean isTidy(SessionRecovery calls) throws IOException, InterruptedException {
        if (calls.isInDoubt()) {
            // The server may carry an OPEN or a LOCK out after the CLOSE or the LOCKU.
            return false;
        }
        boolean isTidy = unused.close(calls);
        for (var each : open) {
            isTidy &= each.isSettled(calls);
        }
        return isTidy;
    }

    @Override
    public void check(SessionRecovery calls) throws IOException, InterruptedException {
        var all =
                open.stream()
                        .flatMap(file -> file.stateIds().stream().map(id -> new Known(file, id)))
                        .toList();
        for (int from = 0; from < all.size(); from += TESTED_MAX) {
            check(all.subList(from, Math.min(from + TESTED_MAX, all.size())), calls);
        }
    }

    private record Known(OpenInSession file, StateId id) {}

    private static void check(List<Known> tested, SessionRecovery calls)
            throws IOException, InterruptedException {
        var statuses =
                calls.run(
                        Plan.EMPTY.test(tested.stream().map(Known::id).toList()),
                        "cannot ask for revoked state",
                        results -> results.next(StateResult.TestStateId.class).statuses());
        for (int i = 0; i < Math.min(tested.size(), statuses.size()); i++) {
            if (statuses.get(i) != Nfs4Status.OK) {
                tested.get(i).file().revoked(tested.get(i).id());
                calls.run(
                        Plan.EMPTY.free(tested.get(i).id()),
                        "cannot free revoked state",
                        Results::status);
            }
        }
    }

    /**
     * Closes all files in one attempt each, before the session ends: a server keeps a client that
     * has open files. Ends with the first failure.
     */
    void closeAll(Nfs4Session session) {
        for (var each : open) {
            if (!each.isClosedAtOnce()) {
                return;
            }
        }
        unused.closeAll(session);
    }
}
