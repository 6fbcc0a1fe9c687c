package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.LogRecords;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.spi.CallHandler;
import io.github.rpcrdma4j.oncrpc.spi.CallService;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.oncrpc.spi.ServedPeer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.verbs.RdmaException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a client whose connection cannot be served gets an answer, and the operator a line. Method:
 * services that end a connection, or fail, before it is accepted.
 */
class UnservedPeersTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    /** What becomes of a connection before it is accepted. */
    private interface Fate {
        void befall(ServedPeer peer) throws IOException;
    }

    private final IwarpProvider provider = new IwarpProvider();
    private final LogRecords log = new LogRecords(RpcRdmaServer.class);
    private volatile Fate fate;
    private volatile boolean mayBlock;
    private RpcRdmaServer server;

    /** Serves echoes to those whom nothing befalls. */
    private final class Fateful implements CallService {
        private final RpcDispatcher echo = new RpcDispatcher(List.of(new EchoProgram()));

        @Override
        public CallHandler connected(ServedPeer peer) throws IOException {
            fate.befall(peer);
            return echo;
        }

        @Override
        public boolean mayBlock() {
            return mayBlock;
        }

        @Override
        public List<UpperLayerBinding> bindings() {
            return List.of(EchoProgram.BINDING);
        }
    }

    @BeforeEach
    void serve() throws Exception {
        server =
                RpcRdmaServer.builder()
                        .provider(provider)
                        .address(ManualPeer.LOOPBACK)
                        .calls(new Fateful())
                        .start();
    }

    @AfterEach
    void stop() {
        server.close();
        log.close();
        assertEquals(0, server.openConnections());
        assertEquals(0, server.leasedMemory());
    }

    private RpcRdmaClient connect() throws Exception {
        return RpcRdmaClient.builder()
                .provider(provider)
                .bindings(List.of(EchoProgram.BINDING))
                .connectTimeout(TIMEOUT)
                .connect(server.address());
    }

    /** A client that got no answer would fail for another reason, after its time limit. */
    private void isRejected(boolean onItsOwnThread, Fate wanted, String line) throws Exception {
        mayBlock = onItsOwnThread;
        fate = wanted;
        var failure = assertThrows(RpcException.class, this::connect);
        assertInstanceOf(RdmaException.Rejected.class, failure.getCause());
        fate = _ -> {};
        try (var client = connect()) {
            client.call(EchoProgram.nullCall(), TIMEOUT).close();
        }
        // After that, nothing is logged any more.
        server.close();
        assertEquals(1, log.messages().size(), log.messages()::toString);
        assertTrue(log.messages().getFirst().startsWith(line), log.messages()::toString);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aConnectionThatEndsBeforeItIsAcceptedIsRejected(boolean onItsOwnThread) throws Exception {
        isRejected(onItsOwnThread, peer -> peer.close("over"), "a connection was refused: ");
    }

    @Test
    void aConnectionThatCannotBeServedIsRejected() throws Exception {
        isRejected(
                true,
                _ -> {
                    throw new IOException("nobody is there");
                },
                "a connection was refused: ");
    }

    @Test
    void aServiceThatFailsRejectsTheConnection() throws Exception {
        Fate broken =
                _ -> {
                    throw new UnsupportedOperationException("broken");
                };
        isRejected(true, broken, "a connection was not accepted");
    }

    @Test
    void aServiceThatFailsOnTheAcceptingThreadRejectsTheConnection() throws Exception {
        Fate broken =
                _ -> {
                    throw new UnsupportedOperationException("broken");
                };
        isRejected(false, broken, "cannot accept");
    }
}
