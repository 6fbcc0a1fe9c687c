package io.github.rpcrdma4j.sim;

import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.verbs.contract.ProviderContract;
import java.net.InetSocketAddress;
import java.time.Duration;

class SimContractTest extends ProviderContract {
    private final SimWorld world = new SimWorld(Seeds.one(), SimOptions.CALM);

    @Override
    protected RdmaProvider provider() {
        return world.provider();
    }

    @Override
    protected byte[] connect(
            QueuePair queuePair,
            InetSocketAddress address,
            byte[] privateData,
            Listener passiveListener,
            Passive passiveSide)
            throws RdmaException, InterruptedException {
        var done = new boolean[1];
        world.agent(
                () -> {
                    try {
                        if (!done[0]) {
                            var request = passiveListener.accept(Duration.ZERO);
                            if (request.isPresent()) {
                                done[0] = true;
                                passiveSide.answer(request.get());
                            }
                        }
                    } catch (RdmaException | InterruptedException failure) {
                        throw new AssertionError(failure);
                    }
                });
        return queuePair.connect(address, privateData, SETUP);
    }
}
