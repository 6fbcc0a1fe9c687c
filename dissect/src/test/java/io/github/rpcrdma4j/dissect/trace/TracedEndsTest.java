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
import io.github.rpcrdma4j.oncrpc.PatternProgram;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import io.github.rpcrdma4j.rpcrdma.rfc5666.Rfc5666;
import io.github.rpcrdma4j.rpcrdma.v2.Version2Profile;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.TransferPolicy;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.Transmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: traffic between two ends of this project has no findings under any document, and every RDMA
 * operation is assigned to a call. Method: traces of real sockets.
 */
class TracedEndsTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final int CALLS = 6;
    private static final int SEVERAL_SENDS = 20_000;
    private static final int SIZE = 200_000;

    private static final Eligibility EITHER = new Eligibility(1, 1).withFetchedReplies(true);

    /** Allows one bulk item in each direction, and replies that the requester fetches. */
    private static final UpperLayerBinding BINDING =
            UpperLayerBinding.of(PatternProgram.PROGRAM, 1)
                    .procedure(PatternProgram.FETCH, EITHER)
                    .procedure(PatternProgram.STORE, EITHER)
                    .build();

    private static final class Bound extends PatternProgram {
        Bound() {
            super(1, 1);
        }

        @Override
        public List<UpperLayerBinding> bindings() {
            return List.of(BINDING);
        }
    }

    @TempDir Path directory;

    private static ConnectionReport only(Path file, Version1Document document) throws Exception {
        try (var in = Files.newInputStream(file)) {
            var connections = Dissector.dissect(PacketReader.of(in), true, document).connections();
            assertEquals(1, connections.size());
            return connections.getFirst();
        }
    }

    private static void call(RpcRdmaClient client, RpcCall call) throws Exception {
        client.call(call, DEADLINE).close();
    }

    /** Returns a trace of calls of all sizes. */
    private Path trace(WireProfile profile) throws Exception {
        return trace(profile, profile);
    }

    private Path trace(WireProfile ofClient, WireProfile ofServer) throws Exception {
        var file = directory.resolve("trace.pcapng");
        try (var trace = TraceFile.create(file);
                var server =
                        RpcRdmaServer.builder()
                                .provider(new IwarpProvider())
                                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                                .program(new Bound())
                                .profile(ofServer)
                                .start();
                var client =
                        RpcRdmaClient.builder()
                                .provider(new IwarpProvider(IwarpOptions.DEFAULT.withTap(trace)))
                                .binding(BINDING)
                                .profile(ofClient)
                                .connect(server.address())) {
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
        var profile = version2 ? new Version2Profile(Version2.DEFAULT) : WireProfile.RFC_8166;
        var connection = only(trace(profile), Version1Document.RFC_8166);
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
    @EnumSource(TransferPolicy.class)
    void reassemblesMessagesOfSeveralSends(TransferPolicy transferPolicy) throws Exception {
        var transmissions = Transmissions.DEFAULT.withTransferPolicy(transferPolicy);
        var version2 = Version2.DEFAULT.withTransmissions(transmissions);
        var profile = new Version2Profile(version2);
        var connection = only(trace(profile), Version1Document.RFC_8166);
        connection.frames().forEach(frame -> assertEquals(List.of(), frame.findings()));
        isComplete(connection);
        boolean continues = has(connection, Operation.Continuation.class);
        boolean requests = has(connection, Operation.TransmitRequest.class);
        switch (transferPolicy) {
            case EXPLICIT -> assertFalse(continues || requests);
            case CONTINUED -> assertTrue(continues && requests);
            case PLACED, CHEAPEST -> assertTrue(requests);
        }
        // A message too long for eight Sends is in chunks with every setting.
        long moved =
                connection.calls().stream()
                        .flatMap(call -> call.chunks().stream())
                        .mapToLong(ChunkReport::moved)
                        .sum();
        assertTrue(moved >= 2 * SIZE, () -> "moved " + moved);
    }

    @Test
    void triesOfVersion2CauseNoFinding() throws Exception {
        var auto = new Version2Profile(Version2.DEFAULT);
        var connection = only(trace(auto, WireProfile.RFC_8166), Version1Document.RFC_8166);
        connection.frames().forEach(frame -> assertEquals(List.of(), frame.findings()));
        isComplete(connection);
        assertEquals(
                List.of(Version2Header.Option.class, Version2Header.VersionError.class),
                headers(connection).map(Version2Header::getClass).toList());
    }

    /** Goal: the trace of a connection ends with its FINs. Another thread may still send then. */
    @Test
    void writesNothingAfterTheEndOfAConnection() throws Exception {
        var file = directory.resolve("trace.pcapng");
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        try (var trace = TraceFile.create(file)) {
            var wire = trace.opened(address, address, true);
            wire.closed();
            long length = Files.size(file);
            wire.sent(ByteBuffer.allocate(8));
            wire.received(ByteBuffer.allocate(8));
            assertEquals(length, Files.size(file));
        }
    }

    @Test
    void aTraceIsForItsOwnerAlone() throws Exception {
        var file = directory.resolve("trace.pcapng");
        TraceFile.create(file).close();
        assertEquals(
                "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    }

    @Test
    void findsNothingWrongByRfc5666() throws Exception {
        var file = trace(Rfc5666.DEFAULT);
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
