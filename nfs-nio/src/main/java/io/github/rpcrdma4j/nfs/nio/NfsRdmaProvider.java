package io.github.rpcrdma4j.nfs.nio;

import io.github.rpcrdma4j.nfs.client.NfsUrl;

/**
 * Files of NFS servers over RDMA, for URIs like {@code nfs+rdma://server/data/report.csv}. All else
 * is as with {@link NfsProvider}. Bytes move directly to and from direct buffers. Thread-safe.
 */
public final class NfsRdmaProvider extends ServerProvider {
    /** Creates the provider, for {@link java.util.ServiceLoader}. It connects to nothing. */
    public NfsRdmaProvider() {
        super(NfsUrl.Transport.RDMA);
    }
}
