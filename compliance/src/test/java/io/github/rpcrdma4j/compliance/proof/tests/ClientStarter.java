package io.github.rpcrdma4j.compliance.proof.tests;

import io.github.rpcrdma4j.compliance.proof.product.rpcrdma.RpcRdmaClient;

/** Starts a client. */
final class ClientStarter implements Starter {
    static void connected() {
        new ClientStarter().begin();
    }

    @Override
    public void begin() {
        RpcRdmaClient.connect();
    }
}
