package io.github.rpcrdma4j.nfs.nio;

import io.github.rpcrdma4j.nfs.client.NfsUrl.Transport;

/** Goal: watched directories over RDMA tell what happens in them. */
class NfsRdmaWatchTest extends WatchContract {
    NfsRdmaWatchTest() {
        super(Transport.RDMA);
    }
}
