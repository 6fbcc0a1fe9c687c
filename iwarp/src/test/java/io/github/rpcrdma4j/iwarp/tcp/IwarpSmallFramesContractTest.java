package io.github.rpcrdma4j.iwarp.tcp;

class IwarpSmallFramesContractTest extends IwarpContract {
    IwarpSmallFramesContractTest() {
        super(IwarpOptions.DEFAULT.withUlpduMax(1444));
    }
}
