package io.github.rpcrdma4j.rdmacore;

import org.junit.jupiter.api.BeforeAll;

/** The contract on the soft adapter for RoCE of Linux. */
class RxeContractTest extends AdapterContract {
    private static final String ADAPTER = "rxe0";

    RxeContractTest() {
        super(ADAPTER);
    }

    @BeforeAll
    static void requireAdapter() {
        requireAdapter(ADAPTER);
    }
}
