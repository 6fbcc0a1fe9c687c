package io.github.rpcrdma4j.compliance.proof.tests;

/** Starts something. */
interface Starter {
    void begin();
}
