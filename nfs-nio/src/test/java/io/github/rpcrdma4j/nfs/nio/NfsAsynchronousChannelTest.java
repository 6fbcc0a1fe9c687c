package io.github.rpcrdma4j.nfs.nio;

import io.github.rpcrdma4j.nfs.client.NfsUrl.Transport;

/** Goal: asynchronous channels do over TCP what they say. */
class NfsAsynchronousChannelTest extends AsynchronousChannelContract {
    NfsAsynchronousChannelTest() {
        super(Transport.TCP);
    }
}
