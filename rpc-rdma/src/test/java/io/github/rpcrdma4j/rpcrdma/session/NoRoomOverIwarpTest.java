package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.LogRecords;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: if results or arguments are longer than a limit, both sides report the sizes. */
class NoRoomOverIwarpTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int LENGTH = 10_000;
    private static final int CALL_BYTES_MAX = 20_000;
    private static final RpcRdmaOptions OPTIONS =
            RpcRdmaOptions.DEFAULT.toBuilder()
                    .inlineSend(4096)
                    .inlineReceive(4096)
                    .fetchedBytesPerCall(CALL_BYTES_MAX)
                    .build();

    private final IwarpProvider provider = new IwarpProvider();
    private final LogRecords log = new LogRecords(RpcRdmaServer.class);
    private RpcRdmaServer server;
    private RpcRdmaClient client;

    @BeforeEach
    void connect() throws Exception {
        server =
                Connections.listen(
                        provider,
                        ManualPeer.LOOPBACK,
                        List.of(new EchoProgram()),
                        List.of(EchoProgram.BINDING),
                        OPTIONS);
        client =
                Connections.connect(
                        provider,
                        server.address(),
                        new Credential.None(),
                        List.of(EchoProgram.BINDING),
                        OPTIONS);
    }

    @AfterEach
    void checkNothingLeaks() {
        assertEquals(0, client.openWindows());
        client.close();
        server.close();
        log.close();
        assertEquals(0, client.leasedMemory());
        assertEquals(0, server.leasedMemory());
    }

    private void refused(String room, String sizes, RpcCall call) throws Exception {
        // Two calls, because the server logs the problem for the first call only.
        for (int i = 0; i < 2; i++) {
            var failure =
                    assertThrows(
                            RpcException.TransportRefused.class, () -> client.call(call, TIMEOUT));
            assertEquals(
                    "the peer sent ERR_CHUNK: it could not process the chunks, or the results"
                            + " exceed the limits of this call: "
                            + room,
                    failure.getMessage());
        }
        assertEquals(
                List.of(
                        "the results of program 536870978 (0x20000042) version 1 procedure "
                                + call.procedure()
                                + " exceed the room that the caller offered: "
                                + sizes),
                log.messages());
        client.call(EchoProgram.nullCall(), TIMEOUT).close();
    }

    @Test
    void forABulkResultLongerThanItsTarget() throws Exception {
        refused(
                "bulk results of 4096 bytes (resultTargets) and 8 bytes of others (resultsMax)",
                "bulk result 1 has 10000 bytes, more than the 4096 bytes of its Write chunk",
                EchoProgram.fetch(LENGTH, 1, Arena.ofAuto().allocate(4096)));
    }

    private static RpcCall list(int resultsMax) {
        return new RpcCall(
                EchoProgram.PROGRAM,
                1,
                EchoProgram.LIST,
                out -> out.uint32(LENGTH).uint32(1),
                resultsMax);
    }

    /** Goal: resultsMax makes room for results, and refuses none that fit. */
    @Test
    void isNoReasonToRefuseLongerResultsThatFitInline() throws Exception {
        var call =
                new RpcCall(
                        EchoProgram.PROGRAM,
                        1,
                        EchoProgram.LIST,
                        out -> out.uint32(1000).uint32(1),
                        12);
        try (var reply = client.call(call, TIMEOUT)) {
            assertArrayEquals(EchoProgram.pattern(1000, 1), reply.results().bytes(1000));
            reply.results().finish();
        }
    }

    @Test
    void forResultsThatNeededAReplyChunk() throws Exception {
        refused(
                "12 bytes (resultsMax)",
                "the reply has 10028 bytes besides the data in Write chunks; the inline threshold"
                        + " is 4096 bytes and the Reply chunk 0 bytes",
                list(12));
    }

    @Test
    void forResultsLongerThanTheReplyChunk() throws Exception {
        refused(
                "5000 bytes (resultsMax)",
                "the reply has 10028 bytes besides the data in Write chunks; the inline threshold"
                        + " is 4096 bytes and the Reply chunk 5024 bytes",
                list(5000));
    }

    @Test
    void forArgumentsLongerThanTheServerAccepts() throws Exception {
        var call = EchoProgram.store(1, Arena.ofAuto().allocate(CALL_BYTES_MAX + 4));
        // Two calls, because the server logs the problem for the first call only.
        for (int i = 0; i < 2; i++) {
            var failure =
                    assertThrows(
                            RpcException.TransportRefused.class, () -> client.call(call, TIMEOUT));
            assertEquals(
                    "the peer sent ERR_CHUNK: it could not process the chunks, or the arguments in"
                            + " Read chunks, 20004 bytes, exceed the peer's limit for a call, or"
                            + " the results exceed the limits of this call: 12 bytes (resultsMax)",
                    failure.getMessage());
        }
        assertEquals(
                List.of(
                        "the arguments of a call exceed the limit of this side: program 536870978"
                                + " (0x20000042) version 1 procedure "
                                + EchoProgram.STORE
                                + " from 127.0.0.1 has 20004 bytes in Read chunks, more than the"
                                + " 20000 bytes of fetchedBytesPerCall"),
                log.messages());
    }
}
