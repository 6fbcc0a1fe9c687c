package io.github.rpcrdma4j.nfs.nio;

import io.github.rpcrdma4j.nfs.client.NfsUrl.Transport;

/** Goal: asynchronous channels do over RDMA what they say. */
class NfsRdmaAsynchronousChannelTest extends AsynchronousChannelContract {
    NfsRdmaAsynchronousChannelTest() {
        super(Transport.RDMA);
    }
}
