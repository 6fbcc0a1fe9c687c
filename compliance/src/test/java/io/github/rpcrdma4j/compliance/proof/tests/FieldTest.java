package io.github.rpcrdma4j.compliance.proof.tests;

import io.github.rpcrdma4j.compliance.proof.product.gateway.Gateway;

/** No tests that run: a field starts a program. */
class FieldTest {
    private final Gateway gateway = new Gateway();

    void startsNothingElse() {
        gateway.hashCode();
    }
}
