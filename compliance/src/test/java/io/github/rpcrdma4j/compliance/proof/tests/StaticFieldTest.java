package io.github.rpcrdma4j.compliance.proof.tests;

import io.github.rpcrdma4j.compliance.proof.product.iwarp.tcp.IwarpProvider;

/** No tests that run: a static field starts a program. */
class StaticFieldTest {
    private static final IwarpProvider PROVIDER = new IwarpProvider();

    void startsNothingElse() {
        PROVIDER.hashCode();
    }
}
