package io.github.rpcrdma4j.nfs.nio;

import io.github.rpcrdma4j.nfs.client.NfsUrl.Transport;

/** Goal: the contract holds over RDMA. */
class NfsRdmaProviderTest extends ProviderContract {
    NfsRdmaProviderTest() {
        super(Transport.RDMA);
    }
}
