package io.github.rpcrdma4j.dissect.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.capture.PacketReader;
import io.github.rpcrdma4j.dissect.CallReport;
import io.github.rpcrdma4j.dissect.ChunkReport;
import io.github.rpcrdma4j.dissect.ChunkReport.Kind;
import io.github.rpcrdma4j.dissect.ConnectionReport;
import io.github.rpcrdma4j.dissect.Dissector;
import io.github.rpcrdma4j.iwarp.tcp.IwarpOptions;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.PatternProgram;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.rpcrdma.Rfc5666;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.UpperLayerBinding;
import io.github.rpcrdma4j.rpcrdma.wire.Edition;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: what two ends of ours that keep to RFC 5666 say to each other is right by that document,
 * and tied together. Method: a trace of real sockets.
 */
class TracedRfc5666Test {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final int SIZE = 100_000;
    private static final RpcRdmaOptions OPTIONS =
            RpcRdmaOptions.DEFAULT.withRfc5666(Rfc5666.DEFAULT);

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
                    return new Eligibility(1, 1, true);
                }
            };

    @TempDir Path folder;

    private static ConnectionReport only(Path file, Edition edition) throws Exception {
        try (var in = Files.newInputStream(file)) {
            var connections = Dissector.dissect(PacketReader.of(in), true, edition).connections();
            assertEquals(1, connections.size());
            return connections.getFirst();
        }
    }

    private static void call(RpcRdmaClient client, RpcCall call) throws Exception {
        client.call(call, DEADLINE).close();
    }

    @Test
    void findsNothingWrongByThatDocument() throws Exception {
        var file = folder.resolve("trace.pcapng");
        try (var trace = TraceFile.create(file);
                var server =
                        RpcRdmaServer.listen(
                                new IwarpProvider(),
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                List.of(new PatternProgram(1, 1)),
                                List.of(BINDING),
                                OPTIONS);
                var client =
                        RpcRdmaClient.connect(
                                new IwarpProvider(IwarpOptions.DEFAULT.withTap(trace)),
                                server.address(),
                                new Credential.None(),
                                List.of(BINDING),
                                OPTIONS)) {
            call(client, PatternProgram.fetch(SIZE));
            call(client, PatternProgram.store(MemorySegment.ofArray(new byte[600])));
            call(client, PatternProgram.nullCall());
        }
        var connection = only(file, Edition.RFC_5666);
        connection.frames().forEach(frame -> assertEquals(List.of(), frame.findings()));
        var fetch = connection.calls().stream().filter(call -> call.done().isPresent()).toList();
        assertEquals(1, fetch.size());
        var fetched =
                fetch.getFirst().chunks().stream()
                        .filter(chunk -> chunk.kind() == Kind.REPLY_READ)
                        .toList();
        assertEquals(SIZE, fetched.stream().mapToLong(ChunkReport::moved).sum());
        assertTrue(connection.calls().stream().map(CallReport::form).anyMatch("RDMA_MSGP"::equals));
        assertTrue(
                only(file, Edition.RFC_8166).frames().stream()
                        .anyMatch(frame -> !frame.findings().isEmpty()));
    }
}
