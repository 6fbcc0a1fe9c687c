package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.io.IOException;
import java.util.Optional;

/**
 * Opens a file at a server of version 4.0: by OPEN with a name, and by OPEN_CONFIRM for an owner
 * that is new to the server (RFC 7530, Sections 16.16 and 16.18). For one file. Used by one thread
 * at a time.
 *
 * <p>Tests: {@code LeaseTest}, {@code LostStateTest}.
 */
final class FileOpening implements Planning, OwnedFiles.Left {
    private final Nfs4Lease lease;
    private final OwnedFiles owned;
    private final RemotePlace place;
    private final int access;
    private final OpenCreation creation;

    /** The file that is meant, if it is known. */
    private final Optional<io.github.rpcrdma4j.nfs.client.service.FileHandle> wanted;

    private OpenOwner owner;

    /** What OPEN has told; null before it has succeeded. */
    private StateResult.Open open;

    /** What the OPEN that made it has set, as the server says. */
    private AttributeSet set = AttributeSet.NONE;

    private FileHandle file;

    /** Whether the server has asked for OPEN_CONFIRM, and did not get it yet. */
    private boolean isUnconfirmed;

    /** The newest stateid that was told. */
    private StateId stateId;

    /**
     * @param wanted the file that is meant; empty for one that may be new
     * @param owner who has nothing open but this file; another one opens it if the server counts in
     *     another way
     */
    FileOpening(
            Nfs4Lease lease,
            OwnedFiles owned,
            OpenOwner owner,
            RemotePlace place,
            Optional<io.github.rpcrdma4j.nfs.client.service.FileHandle> wanted,
            int access,
            OpenCreation creation) {
        this.lease = lease;
        this.owned = owned;
        this.owner = owner;
        this.place = place;
        this.wanted = wanted;
        this.access = access;
        this.creation = creation;
    }

    /**
     * Opens the file.
     *
     * @throws NfsException if the server refuses
     */
    void run(String what) throws IOException, InterruptedException {
        boolean isKnown = false;
        try {
            lease.runBy(
                    this,
                    what,
                    plan -> {
                        attempt(plan, what);
                        return this;
                    });
            isKnown = true;
        } catch (NfsException refused) {
            isKnown = !isOpen();
            throw refused;
        } finally {
            if (!isKnown) {
                owned.leave(lease, this);
            }
        }
    }

    @Override
    public Plan plan() {
        if (owner.isGone()) {
            owner = owned.take(lease);
        }
        // What was made once exists.
        var how = open == null ? creation : new OpenCreation.None();
        return FilePlans.directory(place).open(arguments(how)).handle();
    }

    private StateArguments.Open arguments(OpenCreation how) {
        return new StateArguments.Open(
                0, access, 0, owner.name(), how, new OpenClaim.Name(place.name()));
    }

    @Override
    public boolean hearsOfLoss() {
        return owner.isGone() || open != null;
    }

    private void attempt(Plan plan, String what) throws IOException, InterruptedException {
        owner.once(plan, what, this::opened);
        confirm(what);
    }

    private void confirm(String what) throws IOException, InterruptedException {
        if (isUnconfirmed) {
            var at = atFile();
            int begun = at.operations().size();
            owner.once(at.confirm(stateId), what, results -> confirmed(results.done(begun)));
        }
    }

    /** Begins with the file that was opened. */
    private Plan atFile() {
        return file != null
                ? Plan.at(file)
                : wanted.map(each -> Plan.at(Nfs4Values.handle(each)))
                        .orElseGet(() -> FilePlans.looking(place));
    }

    private Results opened(Results results) throws IOException {
        open = results.done(1).next(StateResult.Open.class);
        stateId = open.open();
        isUnconfirmed = (open.flags() & StateResult.Open.CONFIRM) != 0;
        set = set.or(open.set());
        file = results.next(HandleResult.GetFh.class).handle();
        return results;
    }

    private Results confirmed(Results results) throws IOException {
        stateId = results.next(StateResult.OpenConfirm.class).open();
        isUnconfirmed = false;
        return results;
    }

    /** Returns whether OPEN has succeeded. */
    boolean isOpen() {
        return open != null;
    }

    /** Returns whether OPEN has made the file, which must not exist before. */
    boolean hasMade() {
        return isOpen()
                && switch (creation) {
                    case OpenCreation.None _, OpenCreation.Unchecked _ -> false;
                    case OpenCreation.Guarded _,
                            OpenCreation.Exclusive _,
                            OpenCreation.ExclusiveWithAttributes _ ->
                            true;
                };
    }

    /** Returns whether it has opened this file, and not another one of its name. */
    boolean isOf(io.github.rpcrdma4j.nfs.client.service.FileHandle wanted) {
        return Nfs4Values.handle(file).equals(wanted);
    }

    /** Returns the arguments with which the file is open. */
    StateArguments.Open arguments() {
        return arguments(new OpenCreation.None());
    }

    /** Returns the file that was opened. */
    FileHandle file() {
        return file;
    }

    /** Returns what the file got when it was made, as the server says. */
    AttributeSet set() {
        return set;
    }

    StateId stateId() {
        return stateId;
    }

    OpenDelegation delegation() {
        return open.delegation();
    }

    @Override
    public OpenOwner owner() {
        return owner;
    }

    /** The server may not have told which file it has opened: then it is the one that is meant. */
    @Override
    public void close() throws IOException, InterruptedException {
        if (isOpen()) {
            confirm(OpenAtServer.CLOSING);
            owner.once(atFile().close(stateId), OpenAtServer.CLOSING, Results::end);
        }
    }
}
