package io.github.rpcrdma4j.rdmacore;

import org.junit.jupiter.api.BeforeAll;

/** The contract on the soft adapter for iWARP of Linux. */
class SiwContractTest extends AdapterContract {
    private static final String ADAPTER = "siw0";

    SiwContractTest() {
        super(ADAPTER);
    }

    @BeforeAll
    static void requireAdapter() {
        requireAdapter(ADAPTER);
    }
}
