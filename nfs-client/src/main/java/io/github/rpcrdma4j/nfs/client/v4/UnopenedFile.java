package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.LockRange;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.time.Duration;
import java.util.function.Function;

/**
 * A file that cannot be opened at a server of version 4.0, because nobody knows a name of it. It is
 * used by the anonymous stateid (RFC 7530, Section 9.1.4.3), as files of version 3 are: the server
 * checks the rights of the caller at each call, and refuses what a share reservation or a lock of
 * others forbids.
 */
record UnopenedFile(FileHandle handle) implements UsedFile {
    @Override
    public Planning use(String what, Function<StateId, Plan> plan) {
        return () -> plan.apply(StateId.ANONYMOUS);
    }

    @Override
    public boolean lock(LockRange range, boolean isExclusive, Duration wait, String what)
            throws NfsException {
        throw NfsException.found(
                what,
                "version 4.0 of NFS locks a file that was opened by its name, and it is not known",
                Status.NOTSUPP);
    }

    @Override
    public void unlock(LockRange range, String what) throws NfsException {
        throw NfsException.found(what, "no lock is held", Status.NOT_OPEN);
    }

    @Override
    public void close() {
        // Nothing is open at the server.
    }
}
