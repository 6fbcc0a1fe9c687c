package io.github.rpcrdma4j.dissect.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.capture.PacketReader;
import io.github.rpcrdma4j.dissect.CallReport;
import io.github.rpcrdma4j.dissect.ChunkReport;
import io.github.rpcrdma4j.dissect.ChunkReport.Kind;
import io.github.rpcrdma4j.dissect.ConnectionReport;
import io.github.rpcrdma4j.dissect.Dissector;
import io.github.rpcrdma4j.dissect.Layer;
import io.github.rpcrdma4j.dissect.Version1Document;
import io.github.rpcrdma4j.iwarp.tcp.IwarpOptions;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.PatternProgram;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.rfc5666.Rfc5666;
import io.github.rpcrdma4j.rpcrdma.v2.Version2Profile;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.Carriage;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.Transmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: what two ends of ours say to each other is right, whichever document they keep to, and tied
 * together. Method: traces of real sockets.
 */
class TracedEndsTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final int CALLS = 6;
    private static final int SEVERAL_SENDS = 20_000;
    private static final int SIZE = 200_000;

    /** One item each way, and results may have to be fetched. */
    private static final UpperLayerBinding BINDING =
            new UpperLayerBinding() {
                @Override
                public int program() {
                    return PatternProgram.PROGRAM;
                }

                @Override
                public int version() {
                    return 1;
                }

                @Override
                public Eligibility eligibility(int procedure) {
                    return new Eligibility(1, 1).withFetchedReplies(true);
                }
            };

    @TempDir Path directory;

    private static ConnectionReport only(Path file, Version1Document edition) throws Exception {
        try (var in = Files.newInputStream(file)) {
            var connections = Dissector.dissect(PacketReader.of(in), true, edition).connections();
            assertEquals(1, connections.size());
            return connections.getFirst();
        }
    }

    private static void call(RpcRdmaClient client, RpcCall call) throws Exception {
        client.call(call, DEADLINE).close();
    }

    /** A trace of calls of all sizes. */
    private Path trace(RpcRdmaOptions options) throws Exception {
        return trace(options, options);
    }

    private Path trace(RpcRdmaOptions ofClient, RpcRdmaOptions ofServer) throws Exception {
        var file = directory.resolve("trace.pcapng");
        try (var trace = TraceFile.create(file);
                var server =
                        RpcRdmaServer.listen(
                                new IwarpProvider(),
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                List.of(new PatternProgram(1, 1)),
                                List.of(BINDING),
                                ofServer);
                var client =
                        RpcRdmaClient.connect(
                                new IwarpProvider(IwarpOptions.DEFAULT.withTap(trace)),
                                server.address(),
                                new Credential.None(),
                                List.of(BINDING),
                                ofClient)) {
            call(client, PatternProgram.fetch(SIZE));
            call(client, PatternProgram.fetch(SEVERAL_SENDS));
            call(client, PatternProgram.store(MemorySegment.ofArray(new byte[600])));
            call(client, PatternProgram.store(MemorySegment.ofArray(new byte[SEVERAL_SENDS])));
            call(client, PatternProgram.store(MemorySegment.ofArray(new byte[SIZE])));
            call(client, PatternProgram.nullCall());
        }
        return file;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void findsNothingWrongByVersionsOneAndTwo(boolean version2) throws Exception {
        var plain = RpcRdmaOptions.DEFAULT;
        var options = version2 ? plain.withProfile(new Version2Profile(Version2.DEFAULT)) : plain;
        var connection = only(trace(options), Version1Document.RFC_8166);
        connection.frames().forEach(frame -> assertEquals(List.of(), frame.findings()));
        isComplete(connection);
    }

    private static void isComplete(ConnectionReport connection) {
        assertEquals(CALLS, connection.totals().replies());
        assertEquals(CALLS, connection.calls().size());
        assertTrue(connection.calls().stream().allMatch(call -> call.message().isPresent()));
    }

    private static Stream<Version2Header> headers(ConnectionReport connection) {
        return connection.frames().stream()
                .flatMap(frame -> frame.layers().stream())
                .filter(Layer.Transport2.class::isInstance)
                .map(layer -> ((Layer.Transport2) layer).header());
    }

    private static boolean has(ConnectionReport connection, Class<? extends Operation> kind) {
        return headers(connection)
                .anyMatch(
                        header ->
                                header instanceof Version2Header.Option(_, _, _, var operation)
                                        && kind.isInstance(operation));
    }

    @ParameterizedTest
    @EnumSource(Carriage.class)
    void putsTogetherWhatVersion2SendsInSeveralSends(Carriage carriage) throws Exception {
        var transmissions = Transmissions.DEFAULT.withCarriage(carriage);
        var version2 = Version2.DEFAULT.withTransmissions(transmissions);
        var options = RpcRdmaOptions.DEFAULT.withProfile(new Version2Profile(version2));
        var connection = only(trace(options), Version1Document.RFC_8166);
        connection.frames().forEach(frame -> assertEquals(List.of(), frame.findings()));
        isComplete(connection);
        boolean continues = has(connection, Operation.Continuation.class);
        boolean requests = has(connection, Operation.TransmitRequest.class);
        switch (carriage) {
            case EXPLICIT -> assertFalse(continues || requests);
            case CONTINUED -> assertTrue(continues && requests);
            case PLACED, CHEAPEST -> assertTrue(requests);
        }
        // What is too long for eight Sends is in chunks in any case.
        long moved =
                connection.calls().stream()
                        .flatMap(call -> call.chunks().stream())
                        .mapToLong(ChunkReport::moved)
                        .sum();
        assertTrue(moved >= 2 * SIZE, () -> "moved " + moved);
    }

    @Test
    void holdsNoTryOfVersion2AgainstAnybody() throws Exception {
        var auto = RpcRdmaOptions.DEFAULT.withProfile(new Version2Profile(Version2.DEFAULT));
        var connection = only(trace(auto, RpcRdmaOptions.DEFAULT), Version1Document.RFC_8166);
        connection.frames().forEach(frame -> assertEquals(List.of(), frame.findings()));
        isComplete(connection);
        assertEquals(
                List.of(Version2Header.Option.class, Version2Header.VersionError.class),
                headers(connection).map(Version2Header::getClass).toList());
    }

    @Test
    void findsNothingWrongByRfc5666() throws Exception {
        var file = trace(RpcRdmaOptions.DEFAULT.withProfile(Rfc5666.DEFAULT));
        var connection = only(file, Version1Document.RFC_5666);
        connection.frames().forEach(frame -> assertEquals(List.of(), frame.findings()));
        var fetch = connection.calls().stream().filter(call -> call.done().isPresent()).toList();
        assertEquals(2, fetch.size());
        var fetched =
                fetch.stream()
                        .flatMap(call -> call.chunks().stream())
                        .filter(chunk -> chunk.kind() == Kind.REPLY_READ)
                        .toList();
        assertEquals(SIZE + SEVERAL_SENDS, fetched.stream().mapToLong(ChunkReport::moved).sum());
        assertTrue(connection.calls().stream().map(CallReport::form).anyMatch("RDMA_MSGP"::equals));
        assertTrue(
                only(file, Version1Document.RFC_8166).frames().stream()
                        .anyMatch(frame -> !frame.findings().isEmpty()));
    }
}
