package io.github.rpcrdma4j.interop.linux;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What an independent dissector makes of the frames of one side.
 *
 * @param messages RPC-over-RDMA headers that it took apart
 * @param malformed frames that it could not take apart, one line each
 */
record Tshark(int messages, List<String> malformed) {
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private static final List<String> FIELDS =
            List.of(
                    "frame.number",
                    "rpcordma.msg_type",
                    "_ws.malformed",
                    "rpcordma.writes_count",
                    "nfs.procedure_v3",
                    "nfs.count3");
    private static final int MESSAGE = 1;
    private static final int MALFORMED = 2;
    private static final int WRITE_CHUNKS = 3;
    private static final int PROCEDURE = 4;
    private static final int COUNT = 5;

    /**
     * Has a capture taken apart.
     *
     * @param capture with every frame in a packet of its own
     * @param from the address of the side that is judged
     */
    static Tshark read(Path capture, String from) throws IOException, InterruptedException {
        var printed = capture.resolveSibling("tshark.log");
        var command =
                new ArrayList<>(
                        List.of(
                                "tshark",
                                "-n",
                                // What comes first is to count, not what the client's port stands
                                // for.
                                "-o",
                                "tcp.try_heuristic_first:TRUE",
                                "-r",
                                capture.toString(),
                                "-Y",
                                "(rpcordma || _ws.malformed) && ip.src == " + from,
                                "-T",
                                "fields"));
        FIELDS.forEach(field -> command.addAll(List.of("-e", field)));
        var process =
                new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .redirectOutput(printed.toFile())
                        .start();
        if (!process.waitFor(LIMIT) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IOException("tshark failed on " + capture);
        }
        int messages = 0;
        var malformed = new ArrayList<String>();
        for (var line : Files.readAllLines(printed, StandardCharsets.UTF_8)) {
            var fields = line.split("\t", -1);
            messages += fields[MESSAGE].isEmpty() ? 0 : 1;
            if (!fields[MALFORMED].isEmpty() && !isItsOwnLimit(fields)) {
                malformed.add("frame " + line.replace('\t', ' '));
            }
        }
        return new Tshark(messages, List.copyOf(malformed));
    }

    /**
     * What tshark 4.0 gets wrong: it does not put what came by RDMA Write back into a reply, and
     * misses the pad of some WRITE data that came by RDMA Read, where RFC 8166, Section 3.4.5.2,
     * has none.
     */
    private static boolean isItsOwnLimit(String[] fields) {
        boolean placed = !fields[WRITE_CHUNKS].isEmpty() && !fields[WRITE_CHUNKS].startsWith("0");
        boolean unpadded =
                fields[PROCEDURE].equals("7")
                        && !fields[COUNT].isEmpty()
                        && Integer.parseInt(fields[COUNT]) % 4 != 0;
        return placed || unpadded;
    }
}
