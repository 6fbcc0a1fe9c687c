package io.github.rpcrdma4j.rdmacore;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.verbs.contract.ProviderContract;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;

/**
 * The contract of providers on one adapter. {@code interop/adapters} runs it in a Linux guest,
 * which has soft adapters.
 */
abstract class AdapterContract extends ProviderContract {
    private final RdmaProvider provider;

    AdapterContract(String adapter) {
        provider = new RdmaCoreProvider(adapter);
    }

    /** Skips the tests of a machine without the adapter. */
    static void requireAdapter(String name) {
        var missing = Adapter.missing();
        assumeTrue(missing.isEmpty(), () -> missing.orElseThrow());
        assumeTrue(
                Adapter.all().stream().anyMatch(each -> each.name().equals(name)),
                () -> "there is no adapter " + name);
    }

    @Override
    protected RdmaProvider provider() {
        return provider;
    }

    @Override
    protected InetAddress address() {
        try {
            return InetAddress.getByName(System.getProperty("adapter.address", "127.0.0.1"));
        } catch (UnknownHostException failure) {
            throw new IllegalArgumentException(failure);
        }
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
