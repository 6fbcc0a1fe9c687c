package io.github.rpcrdma4j.iwarp.tcp;

class IwarpSleepingContractTest extends IwarpContract {
    IwarpSleepingContractTest() {
        super(IwarpOptions.DEFAULT.withIdle(IdleStrategy.SLEEP));
    }
}
