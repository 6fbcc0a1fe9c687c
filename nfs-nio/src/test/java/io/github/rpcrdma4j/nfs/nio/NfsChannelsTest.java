package io.github.rpcrdma4j.nfs.nio;

import io.github.rpcrdma4j.nfs.client.NfsUrl.Transport;

/** Goal: channels do over TCP what they say. */
class NfsChannelsTest extends ChannelContract {
    NfsChannelsTest() {
        super(Transport.TCP);
    }
}
