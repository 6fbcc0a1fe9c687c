package io.github.rpcrdma4j.nfs.nio;

import io.github.rpcrdma4j.nfs.client.NfsUrl.Transport;

/** Goal: the contract holds over TCP. */
class NfsProviderTest extends ProviderContract {
    NfsProviderTest() {
        super(Transport.TCP);
    }
}
