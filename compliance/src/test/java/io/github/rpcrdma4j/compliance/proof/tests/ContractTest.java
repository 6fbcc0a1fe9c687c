package io.github.rpcrdma4j.compliance.proof.tests;

import io.github.rpcrdma4j.compliance.proof.product.rpcrdma.RpcRdmaServerBuilder;

/** Starts a server for the contract. */
class ContractTest extends Contract {
    @Override
    void begin() {
        new RpcRdmaServerBuilder().start();
    }
}
