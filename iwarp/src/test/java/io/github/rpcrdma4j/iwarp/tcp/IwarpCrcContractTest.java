package io.github.rpcrdma4j.iwarp.tcp;

class IwarpCrcContractTest extends IwarpContract {
    IwarpCrcContractTest() {
        super(IwarpOptions.DEFAULT);
    }
}
