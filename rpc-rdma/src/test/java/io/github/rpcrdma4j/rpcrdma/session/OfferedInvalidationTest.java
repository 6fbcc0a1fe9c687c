package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.wire.PrivateData;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: a side offers remote invalidation only if its provider allows it for all handles. */
class OfferedInvalidationTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("8797-4.1-1")
    void aServerOffersWhatItsProviderAllows(boolean isAllowed) throws Exception {
        var provider = new FaultyProvider(new IwarpProvider());
        if (!isAllowed) {
            provider.forbidRemoteInvalidation();
        }
        try (var server =
                RpcRdmaServer.builder()
                        .provider(provider)
                        .address(ManualPeer.LOOPBACK)
                        .programs(List.of(new EchoProgram()))
                        .start()) {
            assertEquals(isAllowed, offer(server.address()).remoteInvalidation());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("8797-3.2-1")
    void aClientOffersWhatItsProviderAllows(boolean isAllowed) throws Exception {
        var provider = new FaultyProvider(new IwarpProvider());
        if (!isAllowed) {
            provider.forbidRemoteInvalidation();
        }
        try (var listener = new IwarpProvider().listen(ManualPeer.LOOPBACK);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var connecting =
                    threads.submit(
                            () ->
                                    RpcRdmaClient.builder()
                                            .provider(provider)
                                            .connect(listener.address()));
            try (var server = ManualPeer.accept(new IwarpProvider(), listener, new byte[0], 4096);
                    var client = connecting.get()) {
                var offer = PrivateData.find(server.privateData()).orElseThrow();
                assertEquals(isAllowed, offer.remoteInvalidation());
                assertEquals(0, client.openWindows());
            }
        }
    }

    private static PrivateData offer(InetSocketAddress server) throws Exception {
        var provider = new IwarpProvider();
        try (var domain = provider.allocateProtectionDomain();
                var queue = provider.createCompletionQueue();
                var queuePair =
                        provider.createQueuePair(
                                new QueuePairOptions(domain, queue, 1, 1, 1, 1, 1))) {
            byte[] own = new PrivateData(true, 4096, 4096).encode();
            return PrivateData.find(queuePair.connect(server, own, TIMEOUT)).orElseThrow();
        }
    }
}
