package io.github.rpcrdma4j.dissect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.capture.PacketReader;
import io.github.rpcrdma4j.capture.linux.Capture;
import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Goal: the dissector's counts equal those of tshark. Method: run tshark, if it is installed. */
class TsharkTest {
    private static final String SEPARATOR = ";";

    @TempDir private static Path directory;

    @BeforeAll
    static void needsTshark() {
        boolean there =
                Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                        .anyMatch(each -> Files.isExecutable(Path.of(each, "tshark")));
        assumeTrue(there, "tshark is not on the PATH");
    }

    static List<String> captures() {
        return Capture.NAMES;
    }

    /** Returns the values of the fields, one row for each packet that has any of them. */
    private static List<String[]> fields(Path file, String filter, String... fields)
            throws Exception {
        var command = new ArrayList<>(List.of("tshark", "-r", file.toString()));
        command.addAll(List.of("-Y", filter, "-T", "fields", "-E", "separator=" + SEPARATOR));
        for (var field : fields) {
            command.addAll(List.of("-e", field));
        }
        var process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        try (var out = process.getInputStream()) {
            return new String(out.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(line -> line.split(SEPARATOR, -1))
                    .toList();
        }
    }

    private static void add(Map<String, Integer> counts, String name, int count) {
        if (count != 0) {
            counts.merge(name, count, Integer::sum);
        }
    }

    private static Map<String, Integer> others(Path file) throws Exception {
        var counts = new TreeMap<String, Integer>();
        for (var row :
                fields(
                        file,
                        "iwarp_ddp_rdmap",
                        "iwarp_rdma.opcode",
                        "rpcordma.reads_count",
                        "rpcordma.writes_count",
                        "rpcordma.reply_count",
                        "rpc.xid",
                        "rpc.msgtyp",
                        "rpc.program",
                        "rpc.procedure",
                        "nfs.opcode")) {
            for (var opcode : row[0].split(",")) {
                add(counts, "opcode " + Integer.decode(opcode), 1);
            }
            add(counts, "Read chunks", sum(row[1]));
            add(counts, "Write chunks", sum(row[2]));
            add(counts, "Reply chunks", sum(row[3]));
            if (!row[4].isEmpty()) {
                messages(row, counts);
            }
        }
        return counts;
    }

    private static void messages(String[] row, Map<String, Integer> counts) {
        var xids = row[4].split(",");
        var types = row[5].split(",");
        // tshark lists a reply whose data is in a chunk twice within its packet.
        var messages = new LinkedHashSet<String>();
        for (int i = 0; i < xids.length; i++) {
            var call = " call of " + row[6].split(",")[i] + "/" + row[7].split(",")[i];
            messages.add(xids[i] + (types[i].equals("0") ? call : " reply"));
        }
        messages.forEach(each -> add(counts, each.substring(each.indexOf(' ') + 1), 1));
        if (!row[8].isEmpty() && types[0].equals("0")) {
            add(counts, "operations", (int) Arrays.stream(row[8].split(",")).distinct().count());
        }
    }

    private static int sum(String numbers) {
        return Arrays.stream(numbers.split(","))
                .filter(each -> !each.isEmpty())
                .mapToInt(Integer::parseInt)
                .sum();
    }

    private static Map<String, Integer> ours(Path file) throws Exception {
        var counts = new TreeMap<String, Integer>();
        try (var in = Files.newInputStream(file)) {
            for (var connection :
                    Dissector.dissect(PacketReader.of(in), true, Version1Document.RFC_8166)
                            .connections()) {
                for (var frame : connection.frames()) {
                    frame.layers().forEach(layer -> count(layer, counts));
                }
            }
        }
        return counts;
    }

    private static void count(Layer layer, Map<String, Integer> counts) {
        switch (layer) {
            case Layer.Rpc(RpcMessage.Call call, _) -> {
                add(
                        counts,
                        "call of "
                                + Integer.toUnsignedString(call.program())
                                + "/"
                                + Integer.toUnsignedString(call.procedure()),
                        1);
                add(
                        counts,
                        "operations",
                        (int)
                                call.operations().stream()
                                        .filter(each -> !each.startsWith("CB_"))
                                        .distinct()
                                        .count());
            }
            case Layer.Rpc(RpcMessage.Reply _, _) -> add(counts, "reply", 1);
            case Layer.Rdmap rdmap -> add(counts, "opcode " + rdmap.opcode(), 1);
            case Layer.Transport(Version1Header.Msg msg) -> count(msg.chunks(), counts);
            case Layer.Transport(Version1Header.NoMsg noMsg) -> count(noMsg.chunks(), counts);
            case Layer.Ddp(DdpSegment header, _) -> assertEquals(1, header.ddpVersion());
            default -> {}
        }
    }

    private static void count(ChunkLists chunks, Map<String, Integer> counts) {
        add(counts, "Read chunks", chunks.readList().size());
        add(counts, "Write chunks", chunks.writeList().size());
        add(counts, "Reply chunks", chunks.replyChunk().isPresent() ? 1 : 0);
    }

    @ParameterizedTest
    @MethodSource("captures")
    void countsTheSameAsTshark(String name) throws Exception {
        var file = directory.resolve(name + ".pcap");
        try (var in = Capture.file(name)) {
            Files.copy(in, file);
        }
        assertEquals(others(file), ours(file));
    }
}
