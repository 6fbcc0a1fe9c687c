package io.github.rpcrdma4j.compliance.proof.tests;

import io.github.rpcrdma4j.compliance.proof.product.cli.Rpcrdma;
import io.github.rpcrdma4j.compliance.proof.product.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.compliance.proof.product.rpcrdma.RpcRdmaServerBuilder;
import java.util.concurrent.Callable;

/** No tests that run: methods whose calls are followed. */
final class StartingTest {
    private final Starter starter = new ClientStarter();

    void startsItself() {
        new RpcRdmaServerBuilder().start();
    }

    void startsInALambda() {
        run(() -> new RpcRdmaServerBuilder().start());
    }

    void startsByAMethodReference() {
        run(new RpcRdmaServerBuilder()::start);
    }

    void startsInATask() throws Exception {
        new ServerTask().call();
    }

    void startsByHelp() {
        ClientStarter.connected();
    }

    void startsByAnInterface() {
        starter.begin();
    }

    void startsAResource() {
        new ServerResource().close();
    }

    void startsNothing() {
        run(() -> {});
    }

    /** The part belongs to a program, and code of the product may start it: not the test. */
    void usesAPart() {
        new RpcRdmaServerBuilder().toString();
    }

    void namesOnly() {
        run(RpcRdmaClient.class::getName);
    }

    void runsTheCommand() {
        Rpcrdma.run("serve", "mem:");
    }

    void runsNoCommand() {
        run("serve"::length);
    }

    private static void run(Runnable task) {
        task.run();
    }

    private static final class ServerTask implements Callable<String> {
        @Override
        public String call() {
            new RpcRdmaServerBuilder().start();
            return "";
        }
    }
}
