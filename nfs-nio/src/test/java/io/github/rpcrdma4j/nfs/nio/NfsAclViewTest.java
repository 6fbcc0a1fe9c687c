package io.github.rpcrdma4j.nfs.nio;

import io.github.rpcrdma4j.nfs.client.NfsUrl.Transport;

/** Goal: access control lists are read and written over TCP. */
class NfsAclViewTest extends AclViewContract {
    NfsAclViewTest() {
        super(Transport.TCP);
    }
}
