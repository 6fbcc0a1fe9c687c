package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Golden;
import io.github.rpcrdma4j.rpcrdma.wire.PrivateData;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: both ends obey the private data of the worked examples. Method: a peer that the test
 * operates by hand connects or accepts with that data. Messages have the longest allowed length, or
 * one byte more.
 */
class GoldenPrivateDataTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int LONGEST = 256 << 10;
    private static final int EMPTY_HEADER = 28;
    private static final int CALL_HEADER = 40;
    private static final int REPLY_HEADER = 24;
    private static final int COUNT = 4;
    private static final int READ_ENTRY = 24;
    private static final RpcRdmaOptions OPTIONS =
            RpcRdmaOptions.DEFAULT.toBuilder().inlineSend(LONGEST).inlineReceive(LONGEST).build();

    private final RdmaProvider provider = new IwarpProvider();

    /**
     * @param receiveSize the longest Send that the client accepts, in bytes
     * @param invalidation whether the server may use remote invalidation in its replies
     */
    @ParameterizedTest
    @CsvSource({
        "EX-31, 65536, true",
        "EX-32, 262144, false",
        "EX-33, 4096, true",
        "EX-34, 1024, false",
        "EX-35, 1024, false"
    })
    @Tag("8797-4.1-3")
    @Tag("8797-4.2-2")
    @Tag("8797-5.2-2")
    @Tag("8797-5.2-3")
    @Tag("8797-4.2-4")
    @Tag("8797-5.1-1")
    @Tag("8797-5.2-1")
    @Tag("8797-4-5")
    @Tag("8166-3.3.2-1")
    @Tag("8166-3.3.3-3")
    void aServerRepliesAsItsClientSaid(String example, int receiveSize, boolean invalidation)
            throws Exception {
        try (var server =
                        Connections.listen(
                                provider,
                                ManualPeer.LOOPBACK,
                                List.of(new EchoProgram()),
                                List.of(EchoProgram.BINDING),
                                OPTIONS.toBuilder().credits(4).callBackCredits(1).build());
                var peer =
                        ManualPeer.connect(
                                provider, server.address(), Golden.bytes(example), LONGEST)) {
            int fits = receiveSize - EMPTY_HEADER - REPLY_HEADER - COUNT;
            peer.send(ManualConnection.call(1, 1, EchoProgram.list(fits, 1), ChunkLists.EMPTY));
            assertEquals(receiveSize, peer.receive().bytes().length);
            peer.send(ManualConnection.call(2, 1, EchoProgram.list(fits + 1, 1), ChunkLists.EMPTY));
            assertInstanceOf(Version1Header.ChunkError.class, peer.receive().header());

            var region = peer.offer(1, Access.REMOTE_WRITE);
            var segment = new Segment(region.handle(), 1, region.address());
            var chunks =
                    new ChunkLists(
                            List.of(), List.of(new WriteChunk(List.of(segment))), Optional.empty());
            peer.send(
                    ManualConnection.call(
                            3, 1, EchoProgram.fetch(1, 1, MemorySegment.NULL), chunks));
            assertEquals(invalidation, peer.receive().completion().invalidated());
        }
    }

    /** Method: clients of one server, one after the other, each with private data of its own. */
    @Test
    @Tag("8797-4-1")
    void aServerKeepsToWhatTheClientOfEachConnectionSays() throws Exception {
        try (var server =
                Connections.listen(
                        provider,
                        ManualPeer.LOOPBACK,
                        List.of(new EchoProgram()),
                        List.of(EchoProgram.BINDING),
                        OPTIONS.toBuilder().credits(4).build())) {
            for (var example : List.of("EX-33", "EX-34", "EX-31", "EX-33")) {
                int accepted =
                        PrivateData.find(Golden.bytes(example))
                                .orElse(PrivateData.ABSENT)
                                .receiveSize();
                try (var peer =
                        ManualPeer.connect(
                                provider, server.address(), Golden.bytes(example), LONGEST)) {
                    int fits = accepted - EMPTY_HEADER - REPLY_HEADER - COUNT;
                    peer.send(
                            ManualConnection.call(
                                    1, 1, EchoProgram.list(fits, 1), ChunkLists.EMPTY));
                    assertEquals(accepted, peer.receive().bytes().length, example);
                    peer.send(
                            ManualConnection.call(
                                    2, 1, EchoProgram.list(fits + 1, 1), ChunkLists.EMPTY));
                    assertInstanceOf(
                            Version1Header.ChunkError.class, peer.receive().header(), example);
                }
            }
        }
    }

    /** Method: as many calls at once as the server grants, each of its longest length. */
    @Test
    @Tag("8797-7-1")
    @Tag("8166-3.3.1-7")
    @Tag("5666-6-1")
    @Tag("5666-6.1-3")
    void aServerTakesAllThatItPromises() throws Exception {
        int credits = 4;
        try (var server =
                        Connections.listen(
                                provider,
                                ManualPeer.LOOPBACK,
                                List.of(new EchoProgram()),
                                List.of(EchoProgram.BINDING),
                                OPTIONS.toBuilder()
                                        .inlineSend(4096)
                                        .inlineReceive(8192)
                                        .credits(credits)
                                        .build());
                var peer =
                        ManualPeer.connect(
                                provider, server.address(), Golden.bytes("EX-31"), LONGEST)) {
            var promised = PrivateData.find(peer.privateData()).orElseThrow();
            assertEquals(8192, promised.receiveSize());
            peer.send(ManualConnection.call(1, 1, EchoProgram.nullCall(), ChunkLists.EMPTY));
            assertEquals(credits, peer.receive().header().credits());
            int fits = promised.receiveSize() - EMPTY_HEADER - CALL_HEADER - COUNT;
            var data = MemorySegment.ofArray(EchoProgram.pattern(fits, 3));
            for (int xid = 2; xid < 2 + credits; xid++) {
                byte[] longest =
                        ManualConnection.call(xid, 1, EchoProgram.tell(data), ChunkLists.EMPTY);
                assertEquals(promised.receiveSize(), longest.length);
                peer.send(longest);
            }
            for (int i = 0; i < credits; i++) {
                assertInstanceOf(Version1Header.Msg.class, peer.receive().header());
            }
        }
    }

    /**
     * @param receiveSize the longest Send that the server accepts, in bytes
     */
    @ParameterizedTest
    @CsvSource({"EX-31, 65536", "EX-32, 262144", "EX-33, 4096", "EX-34, 1024", "EX-35, 1024"})
    @Tag("8797-4.2-2")
    @Tag("8797-5.2-2")
    @Tag("8797-5.2-3")
    @Tag("8797-4.2-3")
    @Tag("8797-5.1-1")
    @Tag("8797-5.2-1")
    @Tag("8797-4-5")
    @Tag("8166-3.3.2-1")
    @Tag("8166-3.3.3-3")
    void aClientCallsAsItsServerSaid(String example, int receiveSize) throws Exception {
        try (var listener = provider.listen(ManualPeer.LOOPBACK);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var connecting =
                    threads.submit(
                            () ->
                                    Connections.connect(
                                            provider,
                                            listener.address(),
                                            new Credential.None(),
                                            List.of(EchoProgram.BINDING),
                                            OPTIONS.toBuilder().credits(4).build()));
            try (var server =
                            ManualPeer.accept(provider, listener, Golden.bytes(example), LONGEST);
                    var client = connecting.get()) {
                int fits = receiveSize - EMPTY_HEADER - CALL_HEADER - COUNT;
                for (int length : new int[] {fits, fits + 1}) {
                    var data = Arena.ofAuto().allocate(length);
                    var waiting =
                            threads.submit(() -> client.call(EchoProgram.tell(data), TIMEOUT));
                    var call = server.receive();
                    assertEquals(
                            length == fits ? receiveSize : EMPTY_HEADER + READ_ENTRY,
                            call.bytes().length);
                    var error = new Version1Header.ChunkError(call.header().xid(), 1, 4);
                    server.send(ManualConnection.message(error, new byte[0]));
                    assertThrows(ExecutionException.class, waiting::get);
                }
            }
        }
    }

    /**
     * Goal: both ends state their own sizes, and the same to every peer. Method: the eight bytes
     * that a client and a server send.
     *
     * @param statement the bytes, with the size of Sends and that of receives in units of 1024
     *     bytes
     */
    @ParameterizedTest
    @CsvSource({
        "1024, 1024, true, f6ab0e1801010000",
        "4096, 65536, false, f6ab0e180100033f",
        "262144, 2048, true, f6ab0e180101ff01"
    })
    @Tag("8797-4-4")
    @Tag("8797-4-5")
    @Tag("8797-4.2-1")
    void bothEndsSendEightBytes(int send, int receive, boolean invalidation, String statement)
            throws Exception {
        var options =
                RpcRdmaOptions.DEFAULT.toBuilder()
                        .inlineSend(send)
                        .inlineReceive(receive)
                        .remoteInvalidation(invalidation)
                        .build();
        byte[] nothing = {};
        try (var server =
                        Connections.listen(
                                provider,
                                ManualPeer.LOOPBACK,
                                List.of(new EchoProgram()),
                                List.of(EchoProgram.BINDING),
                                options);
                var peer = ManualPeer.connect(provider, server.address(), nothing, LONGEST)) {
            assertEquals(statement, HexFormat.of().formatHex(peer.privateData()));
        }
        try (var listener = provider.listen(ManualPeer.LOOPBACK);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var connecting =
                    threads.submit(
                            () ->
                                    Connections.connect(
                                            provider,
                                            listener.address(),
                                            new Credential.None(),
                                            List.of(EchoProgram.BINDING),
                                            options));
            try (var peer = ManualPeer.accept(provider, listener, nothing, LONGEST);
                    var client = connecting.get()) {
                assertEquals(statement, HexFormat.of().formatHex(peer.privateData()));
                assertEquals(0, client.openWindows());
            }
        }
    }

    /** Goal: the agreed sizes hold as long as the connection. Method: the same after 200 calls. */
    @Test
    @Tag("8797-4-2")
    void aServerKeepsToTheSizesOfTheStartOfAConnection() throws Exception {
        try (var server =
                        Connections.listen(
                                provider,
                                ManualPeer.LOOPBACK,
                                List.of(new EchoProgram()),
                                List.of(EchoProgram.BINDING),
                                OPTIONS);
                var peer =
                        ManualPeer.connect(
                                provider, server.address(), Golden.bytes("EX-33"), LONGEST)) {
            int fits = 4096 - EMPTY_HEADER - REPLY_HEADER - COUNT;
            for (int xid = 1; xid <= 200; xid++) {
                boolean isTooLong = xid % 2 == 0;
                var call = EchoProgram.list(isTooLong ? fits + 1 : fits, 1);
                peer.send(ManualConnection.call(xid, 1, call, ChunkLists.EMPTY));
                assertEquals(
                        isTooLong, peer.receive().header() instanceof Version1Header.ChunkError);
            }
        }
    }
}
