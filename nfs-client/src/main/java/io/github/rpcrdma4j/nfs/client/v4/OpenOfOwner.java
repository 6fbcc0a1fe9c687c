package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.client.v4.state.OpenState;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.io.IOException;

/**
 * A file that is open at a server of version 4.0, for an owner that has no other file. Thread-safe.
 *
 * <p>Tests: {@code LostStateTest}.
 */
final class OpenOfOwner extends OpenAtServer implements RecoveryCalls {
    private final FilesOfOwners files;

    /** Another one when the server counted in another way than this one. */
    private volatile OpenOwner owner;

    /**
     * @param opening how it was opened
     */
    OpenOfOwner(FilesOfOwners files, FileHandle handle, FileOpening opening) {
        super(files.lease(), handle, opening.arguments(), opening.stateId());
        this.files = files;
        this.owner = opening.owner();
    }

    /**
     * Without sessions a stateid has the number of its newest change (RFC 7530, Section 9.1.4.2).
     */
    @Override
    StateId sent(StateId told) {
        return told;
    }

    @Override
    StateId usable(String what) throws IOException, InterruptedException {
        // A recovery changes what is usable.
        files.lease().requireHeld();
        return super.usable(what);
    }

    /** The plan of an attempt may bring another owner. */
    @Override
    <T> T inOrder(Planning planning, String what, CompoundCalls.Decoding<T> decoding)
            throws IOException, InterruptedException {
        return files.lease()
                .runBy(new Settled(planning, what), what, plan -> owner.once(plan, what, decoding));
    }

    /**
     * Makes the plans of a call when the answer to the one before is known: it may tell other
     * stateids, and what is locked.
     */
    private final class Settled implements Planning {
        private final Planning planning;
        private final String what;

        Settled(Planning planning, String what) {
            this.planning = planning;
            this.what = what;
        }

        @Override
        public Plan plan() throws IOException, InterruptedException {
            owner.isFinished(what);
            return planning.plan();
        }

        @Override
        public boolean hearsOfLoss() {
            return planning.hearsOfLoss();
        }
    }

    /** The client asks for its lease before each use. */
    @Override
    void beforeUse(StateId ofLocks, String what) {
        // The server checks the stateid.
    }

    @Override
    void tidyUp() {
        // A lock that is granted late stays until its file is closed.
    }

    @Override
    boolean isHeldUp(Plan plan) {
        return false;
    }

    @Override
    void openOnceMore(String what) throws IOException, InterruptedException {
        try {
            var opened = files.again(handle(), owner, arguments().access(), what);
            owner = opened.owner();
            heard(Nfs4Status.OK, opened.stateId(), what);
        } catch (NfsException told) {
            switch (told.status()) {
                case JUKEBOX, GRACE, NOT_OPEN -> throw told;
                default -> refused(told.reason(), what);
            }
        }
    }

    @Override
    public CompoundCalls calls() {
        return files.lease();
    }

    /** Claims are in the order of the owner, too. */
    @Override
    public <T> T once(Plan plan, String what, CompoundCalls.Decoding<T> decoding)
            throws IOException, InterruptedException {
        return owner.once(plan, what, decoding);
    }

    /** Claims the open and its locks, if they are of before a restart. */
    void claim() throws IOException, InterruptedException {
        // The answer to an earlier claim may be missing.
        owner.isFinished("cannot claim an open file");
        claim(this);
    }

    @Override
    void closedHere() {
        files.owned().remove(this);
    }

    @Override
    void closedAtServer(boolean hadLocks) throws IOException, InterruptedException {
        if (hadLocks) {
            owner.release();
        }
        files.owned().giveBack(owner);
    }

    /** An open that nobody uses: the last answer to its owner says whether it is there. */
    private final class LeftOpen implements OwnedFiles.Left {
        @Override
        public OpenOwner owner() {
            return owner;
        }

        @Override
        public void close() throws IOException, InterruptedException {
            if (state() == OpenState.OPEN) {
                owner.once(closing(), CLOSING, locks()::closed);
            }
        }
    }

    @Override
    void leave(StateId open, boolean mayBeOpen) {
        files.owned().leave(files.lease(), new LeftOpen());
    }

    @Override
    void part(Plan closing) throws IOException, InterruptedException {
        owner.once(closing, CLOSING, Nfs4Lease.farewell(), Results::end);
    }
}
