package io.github.rpcrdma4j.iwarp.tcp;

class IwarpNoCrcContractTest extends IwarpContract {
    IwarpNoCrcContractTest() {
        super(IwarpOptions.DEFAULT.withCrc(false));
    }
}
