package io.github.rpcrdma4j.compliance.proof.tests;

/** No tests that run: subclasses start different programs. */
abstract class Contract {
    abstract void begin();

    void callsWhatItsSubclassStarts() {
        begin();
    }
}
