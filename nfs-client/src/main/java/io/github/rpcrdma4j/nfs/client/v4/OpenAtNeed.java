package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.LockRange;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/**
 * A file that is read without being open, by the anonymous stateid (RFC 8881, Section 8.2.3). A
 * server that does not take that stateid makes this side open the file. Thread-safe.
 *
 * <p>Tests: {@code OpenAtNeedTest}.
 */
final class OpenAtNeed implements UsedFile {
    private final RegularFiles files;
    private final FileHandle handle;

    /** Whether the server does not take the anonymous stateid; guarded by this object. */
    private boolean isNeeded;

    /** Guarded by this object; null until it is needed. */
    private UsedFile open;

    OpenAtNeed(RegularFiles files, FileHandle handle) {
        this.files = files;
        this.handle = handle;
    }

    @Override
    public FileHandle handle() {
        return handle;
    }

    /** Reads by the anonymous stateid, then as an open file. */
    private final class Reading implements Planning {
        private final String what;
        private final Function<StateId, Plan> plan;
        private Planning opened;

        Reading(String what, Function<StateId, Plan> plan) {
            this.what = what;
            this.plan = plan;
        }

        @Override
        public Plan plan() throws IOException, InterruptedException {
            var now = openIfNeeded(what);
            if (now.isEmpty()) {
                return plan.apply(StateId.ANONYMOUS);
            }
            opened = opened == null ? now.get().use(what, plan) : opened;
            return opened.plan();
        }

        @Override
        public boolean hearsOfLoss() {
            if (opened != null) {
                return opened.hearsOfLoss();
            }
            need();
            return true;
        }
    }

    private synchronized void need() {
        isNeeded = true;
    }

    private synchronized Optional<UsedFile> openIfNeeded(String what)
            throws IOException, InterruptedException {
        if (isNeeded && open == null) {
            open = files.open(handle, Mode.READ, what);
        }
        return Optional.ofNullable(open);
    }

    @Override
    public Planning use(String what, Function<StateId, Plan> plan) {
        return new Reading(what, plan);
    }

    /** Who locks a file opens it for more than a single read. */
    @Override
    public boolean lock(LockRange range, boolean isExclusive, Duration wait, String what) {
        throw new IllegalStateException(what + ": the file is opened for a single read");
    }

    @Override
    public void unlock(LockRange range, String what) throws NfsException {
        throw NfsException.found(what, "no lock is held", Status.NOT_OPEN);
    }

    @Override
    public synchronized void close() {
        if (open != null) {
            open.close();
        }
    }
}
