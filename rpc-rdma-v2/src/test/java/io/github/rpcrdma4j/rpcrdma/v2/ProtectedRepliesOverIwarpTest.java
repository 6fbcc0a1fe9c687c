package io.github.rpcrdma4j.rpcrdma.v2;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.gss.GssClient;
import io.github.rpcrdma4j.oncrpc.gss.GssServer;
import io.github.rpcrdma4j.oncrpc.gss.GssService;
import io.github.rpcrdma4j.oncrpc.gss.ToyMechanism;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.rfc5666.options.FetchedCounter;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.ManualPeer;
import io.github.rpcrdma4j.rpcrdma.session.OneBinding;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: by default, a long reply with integrity or privacy is written to a Reply chunk, while one
 * of the same procedure without them is fetched. Method: both ends are ours, over real sockets.
 */
class ProtectedRepliesOverIwarpTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int LONG = 60_000;

    /** A binding by which the replies of all procedures are usually short. */
    private static final UpperLayerBinding BINDING =
            new OneBinding(
                    EchoProgram.PROGRAM,
                    procedure -> EchoProgram.BINDING.eligibility(procedure).withUnknownLength());

    private final RdmaProvider provider = new IwarpProvider();

    @ParameterizedTest
    @EnumSource(GssService.class)
    @Tag("RPR-5.2.2-1")
    void aReplyChunkIsTheDefaultForWhatIsWrapped(GssService service) throws Exception {
        var options =
                RpcRdmaOptions.DEFAULT.withProfile(
                        new Version2Profile(
                                Version2.DEFAULT
                                        .withSpeaks1(false)
                                        .withoutTransmissions()
                                        .withFetchedReplies(FetchedReplies.DEFAULT)));
        var mechanism = new ToyMechanism("alice", 1);
        try (var contexts = new GssServer(mechanism);
                var server =
                        Connections.listen(
                                provider,
                                ManualPeer.LOOPBACK,
                                new RpcDispatcher(List.of(new EchoProgram()), List.of(contexts)),
                                List.of(BINDING),
                                options);
                var transport =
                        Connections.connect(
                                provider,
                                server.address(),
                                new Credential.None(),
                                List.of(BINDING),
                                options);
                var client = new GssClient(transport, mechanism, service)) {
            try (var reply = client.call(EchoProgram.list(LONG, 5), TIMEOUT)) {
                assertArrayEquals(EchoProgram.pattern(LONG, 5), reply.results().bytes(LONG));
            }
            boolean isWrapped = service != GssService.NONE;
            var counters = transport.statistics();
            assertEquals(isWrapped ? 1 : 0, counters.value(Counter.REPLY_CHUNKS));
            assertEquals(isWrapped ? 0 : 1, counters.value(FetchedCounter.EXPOSED_REPLIES));
        }
    }
}
