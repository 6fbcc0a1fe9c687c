package io.github.rpcrdma4j.compliance.proof.tests;

import io.github.rpcrdma4j.compliance.proof.product.gateway.Gateway;
import io.github.rpcrdma4j.compliance.proof.product.rpcrdma.RpcRdmaServerBuilder;

/** A server that a test closes, or a gateway: nobody else calls the static method. */
final class ServerResource implements AutoCloseable {
    ServerResource() {
        new RpcRdmaServerBuilder().start();
    }

    static void startGateway() {
        new Gateway();
    }

    @Override
    public void close() {}
}
