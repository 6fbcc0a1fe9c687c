package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.capture.PacketReader;
import io.github.rpcrdma4j.dissect.CallReport;
import io.github.rpcrdma4j.dissect.ConnectionReport;
import io.github.rpcrdma4j.dissect.Dissector;
import io.github.rpcrdma4j.dissect.Finding;
import io.github.rpcrdma4j.dissect.RpcMessage;
import io.github.rpcrdma4j.dissect.Totals;
import io.github.rpcrdma4j.dissect.Version1Document;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * What a gateway recorded of its RDMA side, dissected.
 *
 * @param gateway the gateway, which has stopped
 * @param connections the connections of all its processes
 */
record GatewayTrace(OurGateway gateway, List<ConnectionReport> connections) {
    private static final int SHOWN = 5;

    /** The operations that fail, or change more, if they are carried out twice. */
    private static final List<String> CHANGES =
            List.of("OPEN", "CREATE", "LINK", "REMOVE", "RENAME");

    /** The status of results without an error, NFS4_OK. */
    private static final OptionalInt OK = OptionalInt.of(0);

    static GatewayTrace read(OurGateway gateway) throws IOException {
        var connections = new ArrayList<ConnectionReport>();
        for (var trace : gateway.traces()) {
            connections.addAll(dissect(trace));
        }
        return new GatewayTrace(gateway, List.copyOf(connections));
    }

    private static List<ConnectionReport> dissect(Path trace) throws IOException {
        try (var in = Files.newInputStream(trace)) {
            return Dissector.dissect(PacketReader.of(in), false, Version1Document.RFC_8166)
                    .connections();
        }
    }

    /** Checks that the traces have replies and no faults, and then removes them. */
    void check(CellRun.Findings findings) throws IOException {
        var faults =
                connections.stream()
                        .flatMap(each -> each.frames().stream())
                        .flatMap(frame -> frame.findings().stream())
                        .map(Finding::what)
                        .filter(what -> !what.equals(Finding.INVALIDATION_NOT_OFFERED))
                        .toList();
        findings.note(
                "%s: %d connections, %d calls, %d Read chunks, %d Write chunks, %d Reply chunks"
                        .formatted(
                                gateway.name(),
                                connections.size(),
                                sum(Totals::calls),
                                sum(Totals::readChunks),
                                sum(Totals::writeChunks),
                                sum(Totals::replyChunks)));
        findings.expect(sum(Totals::replies) > 0, "no reply was traced");
        findings.expect(sum(Totals::errors) == 0, "a call got an RDMA error");
        findings.expect(faults.isEmpty(), "dissect found %d faults".formatted(faults.size()));
        faults.stream().distinct().limit(SHOWN).forEach(findings::fail);
        if (faults.isEmpty()) {
            for (var trace : gateway.traces()) {
                Files.delete(trace);
            }
        }
    }

    /**
     * Checks that the server recalled delegations in the reverse direction, and that the client
     * agreed and returned them.
     *
     * @param expected how many were recalled
     */
    void checkRecalls(int expected, CellRun.Findings findings) {
        var recalls = calls("CB_RECALL").filter(CallReport::reverse).toList();
        long agreed = recalls.stream().filter(GatewayTrace::isOk).count();
        long returned = calls("DELEGRETURN").filter(GatewayTrace::isOk).count();
        findings.note(
                "%s: %d CB_RECALL, %d of them answered with NFS4_OK; %d DELEGRETURN with NFS4_OK"
                        .formatted(gateway.name(), recalls.size(), agreed, returned));
        findings.expect(
                recalls.size() == expected && agreed == expected,
                "%s: not %d recalls with NFS4_OK".formatted(gateway.name(), expected));
        findings.expect(
                returned >= expected,
                "%s: fewer than %d delegations came back".formatted(gateway.name(), expected));
    }

    /**
     * Returns the operations on names in sessions of NFSv4 to which a trace has no reply, one for
     * each call.
     */
    static List<String> changesWithoutReply(Path trace) throws IOException {
        return calls(dissect(trace))
                .filter(call -> call.answer().isEmpty())
                .map(call -> call.message().map(RpcMessage.Call::operations).orElse(List.of()))
                .filter(operations -> operations.contains("SEQUENCE"))
                .flatMap(operations -> operations.stream().filter(CHANGES::contains).limit(1))
                .toList();
    }

    /** Returns the calls with an operation of NFSv4. */
    private Stream<CallReport> calls(String operation) {
        return calls(connections)
                .filter(
                        call ->
                                call.message()
                                        .filter(each -> each.operations().contains(operation))
                                        .isPresent());
    }

    private static Stream<CallReport> calls(List<ConnectionReport> connections) {
        return connections.stream().flatMap(each -> each.calls().stream());
    }

    private static boolean isOk(CallReport call) {
        return call.answer()
                .flatMap(CallReport.Answer::message)
                .filter(each -> each instanceof RpcMessage.Reply reply && reply.status().equals(OK))
                .isPresent();
    }

    private long sum(ToLongFunction<Totals> figure) {
        return connections.stream().map(ConnectionReport::totals).mapToLong(figure).sum();
    }
}
