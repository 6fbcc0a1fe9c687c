package io.github.rpcrdma4j.compliance.proof.tests;

import io.github.rpcrdma4j.compliance.proof.product.gateway.Gateway;

/** Starts a gateway for the contract. */
class OtherContractTest extends Contract {
    @Override
    void begin() {
        new Gateway();
    }
}
