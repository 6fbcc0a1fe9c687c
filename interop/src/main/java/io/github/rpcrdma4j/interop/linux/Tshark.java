package io.github.rpcrdma4j.interop.linux;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The result of tshark, an independent dissector, for the frames of one side.
 *
 * @param messages how many RPC-over-RDMA headers it dissected
 * @param malformed the frames that it could not dissect, one line each
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
                    "nfs.count3",
                    "nfs.opcode",
                    "nfs.write.data_length");
    private static final int MESSAGE = 1;
    private static final int MALFORMED = 2;
    private static final int WRITE_CHUNKS = 3;
    private static final int PROCEDURE = 4;
    private static final int COUNT = 5;
    private static final int OPERATIONS = 6;
    private static final int COUNT_4 = 7;

    /** The number of WRITE in version 4. */
    private static final String WRITE_4 = "38";

    /**
     * Runs tshark on a capture.
     *
     * @param capture a capture with each frame in a packet of its own
     * @param from the address of the side whose frames count
     */
    static Tshark read(Path capture, String from) throws IOException, InterruptedException {
        var printed = capture.resolveSibling("tshark.log");
        var command =
                new ArrayList<>(
                        List.of(
                                "tshark",
                                "-n",
                                // The first bytes decide the protocol, not the client's port
                                // number.
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
     * Returns whether a frame is malformed only for tshark 4.0. It does not insert data of RDMA
     * Writes into a reply. It also expects the pad of WRITE data from RDMA Reads, which RFC 8166,
     * Section 3.4.5.2, lets a requester omit.
     */
    private static boolean isItsOwnLimit(String[] fields) {
        boolean placed = !fields[WRITE_CHUNKS].isEmpty() && !fields[WRITE_CHUNKS].startsWith("0");
        boolean isWrite3 = fields[PROCEDURE].equals("7");
        // What lies behind the missing pad cannot be dissected, so WRITE is the last operation.
        boolean isWrite4 = (',' + fields[OPERATIONS]).endsWith(',' + WRITE_4);
        boolean unpadded =
                isWrite3 && isUnpadded(fields[COUNT]) || isWrite4 && isUnpadded(fields[COUNT_4]);
        return placed || unpadded;
    }

    private static boolean isUnpadded(String count) {
        return !count.isEmpty() && Integer.parseInt(count) % 4 != 0;
    }
}
