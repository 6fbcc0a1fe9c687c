package io.github.rpcrdma4j.nfs.server.raw;

import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.verbs.RdmaProvider;

/** The NFS server. */
class ServerCompoundWriteListsTest extends CompoundWriteListsContract {
    @Override
    protected Serving serve(NfsServer nfs, ServedProfile profile, RdmaProvider provider)
            throws Exception {
        return RawServer.serve(nfs, profile, provider);
    }
}
