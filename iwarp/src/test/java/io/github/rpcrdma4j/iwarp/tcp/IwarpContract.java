package io.github.rpcrdma4j.iwarp.tcp;

import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.verbs.contract.ProviderContract;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;

/** The contract of providers over loopback. The passive side waits on a thread of its own. */
abstract class IwarpContract extends ProviderContract {
    private final RdmaProvider provider;

    IwarpContract(IwarpOptions options) {
        provider = new IwarpProvider(options);
    }

    @Override
    protected RdmaProvider provider() {
        return provider;
    }

    @Override
    protected byte[] connect(
            QueuePair queuePair,
            InetSocketAddress address,
            byte[] privateData,
            Listener passiveListener,
            Passive passiveSide)
            throws RdmaException, InterruptedException {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var answered =
                    threads.submit(
                            () -> {
                                passiveSide.answer(passiveListener.accept(SETUP).orElseThrow());
                                return null;
                            });
            byte[] reply = queuePair.connect(address, privateData, SETUP);
            try {
                answered.get();
            } catch (ExecutionException failed) {
                throw new AssertionError(failed.getCause());
            }
            return reply;
        }
    }
}
