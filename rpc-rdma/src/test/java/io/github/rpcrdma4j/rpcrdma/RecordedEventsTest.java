package io.github.rpcrdma4j.rpcrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.CallOutcome;
import io.github.rpcrdma4j.oncrpc.PatternProgram;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a JFR recording contains the events of connections, calls and chunks. */
@Timeout(60)
class RecordedEventsTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int LENGTH = 1 << 20;
    private static final int CALLS = 5;
    private static final UpperLayerBinding BINDING =
            UpperLayerBinding.of(PatternProgram.PROGRAM, 1)
                    .procedure(PatternProgram.FETCH, 0, 1)
                    .procedure(PatternProgram.STORE, 1, 0)
                    .build();

    @TempDir Path directory;

    private List<RecordedEvent> events;

    private static RpcRdmaServer serve(InetSocketAddress address) throws Exception {
        return RpcRdmaServer.builder().address(address).program(new Bound()).start();
    }

    private static final class Bound extends PatternProgram {
        Bound() {
            super(1, 1);
        }

        @Override
        public List<UpperLayerBinding> bindings() {
            return List.of(BINDING);
        }
    }

    private interface Work {
        void run() throws Exception;
    }

    private void record(Work work) throws Exception {
        var file = directory.resolve("recording.jfr");
        try (var recording = new Recording()) {
            recording.start();
            work.run();
            recording.stop();
            recording.dump(file);
        }
        events = RecordingFile.readAllEvents(file);
    }

    private List<RecordedEvent> named(String name) {
        return events.stream()
                .filter(event -> event.getEventType().getName().endsWith("rpcrdma4j." + name))
                .toList();
    }

    @Test
    void recordsConnectionsCallsAndChunks() throws Exception {
        var addresses = new ArrayList<String>();
        record(
                () -> {
                    try (var server =
                                    serve(
                                            new InetSocketAddress(
                                                    InetAddress.getLoopbackAddress(), 0));
                            var client =
                                    RpcRdmaClient.builder()
                                            .binding(BINDING)
                                            .connect(server.address());
                            var arena = Arena.ofShared()) {
                        var fetch =
                                new RpcCall(
                                        PatternProgram.PROGRAM,
                                        1,
                                        PatternProgram.FETCH,
                                        out -> out.uint32(LENGTH),
                                        8,
                                        List.of(arena.allocate(LENGTH)));
                        client.call(fetch, TIMEOUT).close();
                        addresses.add(HostPort.text(server.address()));
                        var store = PatternProgram.store(arena.allocate(LENGTH));
                        client.call(store, TIMEOUT).close();
                    }
                });
        assertEquals(
                List.of("client", "server"),
                named("Connection").stream()
                        .map(event -> event.getString("side"))
                        .sorted()
                        .toList());
        assertEquals(2, named("ConnectionEnd").size());
        var calls = named("Call");
        assertEquals(
                List.of(PatternProgram.FETCH, PatternProgram.STORE),
                calls.stream().map(event -> event.getInt("procedure")).toList());
        assertTrue(calls.stream().allMatch(call -> call.getString("outcome").equals("replied")));
        assertEquals(addresses.getFirst(), calls.getFirst().getString("peer"));
        assertTrue(
                Stream.of("Connection", "ConnectionEnd", "Execution", "Call")
                        .flatMap(name -> named(name).stream())
                        .noneMatch(event -> event.getString("peer").contains("/")));
        assertEquals(2, named("Execution").size());
        var xid = calls.getFirst().getInt("xid");
        var filled =
                named("Chunk").stream()
                        .filter(chunk -> chunk.getString("kind").equals("Write chunks filled"))
                        .toList();
        // One event of the server, which fills the chunk, and one of the client, which takes it.
        assertEquals(2, filled.size());
        filled.forEach(
                chunk -> {
                    assertEquals(LENGTH, chunk.getLong("length"));
                    assertEquals(xid, chunk.getInt("xid"));
                });
        assertEquals(List.of("client", "server"), sides(filled));
    }

    private static List<String> sides(List<RecordedEvent> chunks) {
        return chunks.stream().map(chunk -> chunk.getString("side")).sorted().toList();
    }

    @Test
    void recordsAndCountsOfferedAndFetchedReadChunks() throws Exception {
        var addresses = new ArrayList<String>();
        record(
                () -> {
                    try (var server =
                                    serve(
                                            new InetSocketAddress(
                                                    InetAddress.getLoopbackAddress(), 0));
                            var client =
                                    RpcRdmaClient.builder()
                                            .binding(BINDING)
                                            .connect(server.address());
                            var arena = Arena.ofShared()) {
                        var store = PatternProgram.store(arena.allocate(LENGTH));
                        client.call(store, TIMEOUT).close();
                        addresses.add(HostPort.text(server.address()));
                        assertEquals(1, server.statistics().value(Counter.READ_CHUNKS));
                        assertEquals(LENGTH, server.statistics().value(Counter.READ_CHUNK_BYTES));
                    }
                });
        var chunks =
                named("Chunk").stream()
                        .filter(chunk -> chunk.getString("kind").equals("Read chunks"))
                        .toList();
        assertEquals(List.of("client", "server"), sides(chunks));
        for (var chunk : chunks) {
            boolean ofClient = chunk.getString("side").equals("client");
            assertEquals(ofClient, addresses.contains(chunk.getString("peer")));
            assertEquals(LENGTH, chunk.getLong("length"));
            assertEquals(named("Call").getFirst().getInt("xid"), chunk.getInt("xid"));
        }
    }

    @Test
    void recordsTheStatusOfExecutedCalls() throws Exception {
        record(
                () -> {
                    try (var server =
                                    serve(
                                            new InetSocketAddress(
                                                    InetAddress.getLoopbackAddress(), 0));
                            var client = RpcRdmaClient.builder().connect(server.address())) {
                        client.ping(PatternProgram.PROGRAM, 1, TIMEOUT);
                        var unserved = new RpcCall(PatternProgram.PROGRAM + 1, 1, 0, _ -> {}, 0);
                        assertThrows(
                                RpcException.Refused.class, () -> client.call(unserved, TIMEOUT));
                        assertThrows(
                                RpcException.Refused.class,
                                () -> client.ping(PatternProgram.PROGRAM, 2, TIMEOUT));
                    }
                });
        var executions = named("Execution");
        assertEquals(
                List.of("SUCCESS", "PROG_UNAVAIL", "PROG_MISMATCH"),
                executions.stream().map(event -> event.getString("acceptStat")).toList());
        assertEquals(
                List.of("accepted", "accepted", "accepted"),
                executions.stream().map(event -> event.getString("outcome")).toList());
    }

    @Test
    void recordsCallsThatWaitForCredits() throws Exception {
        record(
                () -> {
                    try (var server =
                                    serve(
                                            new InetSocketAddress(
                                                    InetAddress.getLoopbackAddress(), 0));
                            var client = RpcRdmaClient.builder().connect(server.address());
                            var pipeline = client.pipeline()) {
                        for (int i = 0; i < CALLS; i++) {
                            pipeline.submit(PatternProgram.nullCall(), TIMEOUT, new Ignored());
                        }
                        while (pipeline.poll(TIMEOUT)) {
                            // Until all have their outcomes.
                        }
                    }
                });
        // Until the first reply there is one credit.
        assertEquals(1, named("CreditStall").size());
        assertEquals(CALLS - 1, named("CreditStall").getFirst().getInt("calls"));
        assertEquals(CALLS, named("Call").size());
    }

    private static final class Ignored implements CallOutcome {
        @Override
        public void succeeded(XdrReader results) {}

        @Override
        public void failed(RpcException reason) {}
    }

    @Test
    void recordsAReconnect() throws Exception {
        record(
                () -> {
                    var first = serve(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                    try (var client =
                            RpcRdmaClient.builder().connectReconnecting(first.address(), TIMEOUT)) {
                        client.ping(PatternProgram.PROGRAM, 1, TIMEOUT);
                        first.close();
                        try (var _ = serve(first.address())) {
                            client.ping(PatternProgram.PROGRAM, 1, TIMEOUT);
                        }
                    }
                });
        var made = named("Reconnect").getFirst();
        assertTrue(made.getBoolean("connected"));
        assertEquals(1, made.getInt("tries"));
        assertFalse(made.getString("reason").isEmpty());
    }

    @Test
    void recordsNoReconnectWithoutALoss() throws Exception {
        record(
                () -> {
                    try (var server =
                                    serve(
                                            new InetSocketAddress(
                                                    InetAddress.getLoopbackAddress(), 0));
                            var client =
                                    RpcRdmaClient.builder()
                                            .connectReconnecting(server.address(), TIMEOUT)) {
                        client.ping(PatternProgram.PROGRAM, 1, TIMEOUT);
                    }
                });
        assertEquals(List.of(), named("Reconnect"));
    }
}
