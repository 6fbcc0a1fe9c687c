package io.github.rpcrdma4j.nfs.nio;

import io.github.rpcrdma4j.nfs.client.NfsUrl.Transport;

/** Goal: watched directories over TCP tell what happens in them. */
class NfsWatchTest extends WatchContract {
    NfsWatchTest() {
        super(Transport.TCP);
    }
}
