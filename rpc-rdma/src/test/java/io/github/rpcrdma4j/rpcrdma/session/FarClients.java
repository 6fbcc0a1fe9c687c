package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.ConnectRequest;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * A provider whose listeners report client addresses that the test chooses, for connections from
 * this host.
 *
 * @param address returns the address of the next client, by the number of clients before it
 */
public record FarClients(RdmaProvider provider, IntFunction<InetAddress> address)
        implements RdmaProvider {
    @Override
    public String name() {
        return provider.name();
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        return provider.allocateProtectionDomain();
    }

    @Override
    public CompletionQueue createCompletionQueue() {
        return provider.createCompletionQueue();
    }

    @Override
    public QueuePair createQueuePair(QueuePairOptions options) {
        return provider.createQueuePair(options);
    }

    @Override
    public Listener listen(InetSocketAddress where) throws RdmaException {
        return new FarListener(provider.listen(where), address);
    }

    private static final class FarListener implements Listener {
        private final Listener listener;
        private final IntFunction<InetAddress> address;
        private int come;

        FarListener(Listener listener, IntFunction<InetAddress> address) {
            this.listener = listener;
            this.address = address;
        }

        @Override
        public InetSocketAddress address() {
            return listener.address();
        }

        @Override
        public Optional<ConnectRequest> accept(Duration timeout)
                throws RdmaException, InterruptedException {
            return listener.accept(timeout)
                    .map(
                            request ->
                                    new FarRequest(
                                            request,
                                            new InetSocketAddress(
                                                    address.apply(come++),
                                                    request.peer().getPort())));
        }

        @Override
        public long turnedAway() {
            return listener.turnedAway();
        }

        @Override
        public void close() {
            listener.close();
        }
    }

    private record FarRequest(ConnectRequest request, InetSocketAddress peer)
            implements ConnectRequest {
        @Override
        public byte[] privateData() {
            return request.privateData();
        }

        @Override
        public void accept(QueuePair queuePair, byte[] privateData) throws RdmaException {
            request.accept(queuePair, privateData);
        }

        @Override
        public void reject(byte[] privateData) {
            request.reject(privateData);
        }
    }
}
