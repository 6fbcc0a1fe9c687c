package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import java.io.IOException;

/**
 * Removes names, by REMOVE, which takes files and directories alike (RFC 8881, Section 18.25).
 *
 * <p>Tests: {@code FileServiceTest}.
 */
record Removals(CompoundCalls calls) {
    private static Plan named(RemotePlace place) {
        return FilePlans.directory(place).lookup(place.name());
    }

    void file(RemotePlace place, String what) throws IOException, InterruptedException {
        try {
            remove(named(place).requireOther(Nfs4Values.directory()), place, what);
        } catch (NfsException refused) {
            throw refused.status() == Status.SAME ? new NfsException(what, Status.ISDIR) : refused;
        }
    }

    void directory(RemotePlace place, String what) throws IOException, InterruptedException {
        try {
            remove(named(place).require(Nfs4Values.directory()), place, what);
        } catch (NfsException refused) {
            throw refused.status() == Status.NOT_SAME
                    ? new NfsException(what, Status.NOTDIR)
                    : refused;
        }
    }

    private void remove(Plan required, RemotePlace place, String what)
            throws IOException, InterruptedException {
        calls.run(FilePlans.removing(required, place), what, results -> results.done(5));
    }
}
