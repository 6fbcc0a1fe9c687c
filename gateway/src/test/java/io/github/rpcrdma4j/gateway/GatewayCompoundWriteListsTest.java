package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.raw.CompoundWriteListsContract;
import io.github.rpcrdma4j.nfs.server.raw.ServedProfile;
import io.github.rpcrdma4j.verbs.RdmaProvider;

/** A gateway in front of the NFS server. */
class GatewayCompoundWriteListsTest extends CompoundWriteListsContract {
    @Override
    protected Serving serve(NfsServer nfs, ServedProfile profile, RdmaProvider provider)
            throws Exception {
        return GatewayBefore.serve(nfs, profile, provider);
    }
}
