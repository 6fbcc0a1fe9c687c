package io.github.rpcrdma4j.nfs.nio;

import io.github.rpcrdma4j.nfs.client.NfsUrl.Transport;

/** Goal: channels do over RDMA what they say. */
class NfsRdmaChannelsTest extends ChannelContract {
    NfsRdmaChannelsTest() {
        super(Transport.RDMA);
    }
}
