package io.github.rpcrdma4j.compliance.proof.tests;

import io.github.rpcrdma4j.compliance.proof.product.nfs.server.NfsServer;
import io.github.rpcrdma4j.compliance.proof.product.rpcrdma.RpcRdmaServerBuilder;
import org.junit.jupiter.api.BeforeEach;

/** No tests that run: it starts programs before each. */
class BeforeEachTest {
    @BeforeEach
    void start() {
        new RpcRdmaServerBuilder().start();
        new NfsServer();
    }

    void startsNothingElse() {}
}
