package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.Cell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Checks the captured packets, with our own reader and with an independent dissector. */
record CaptureCheck(CellRun run) {
    private static final Duration STALL = Duration.ofSeconds(1);
    private static final int SHOWN = 5;

    void read(CellRun.Findings findings) throws IOException, InterruptedException {
        var aligned = run.logs().resolve("aligned.pcapng");
        var connections = Recording.read(run.logs().resolve("capture.pcap"), aligned);
        long frames = connections.stream().mapToLong(Recording.Connection::frames).sum();
        // A gateway that was killed has just started when its clients are back.
        long slowest =
                connections.stream()
                        .filter(each -> each.port() != Network.KILLED_PORT)
                        .mapToLong(Recording.Connection::startNanos)
                        .max()
                        .orElse(0);
        findings.note(
                "%d connections, %d frames; the slowest first reply took %.1f ms"
                        .formatted(connections.size(), frames, slowest / 1e6));
        findings.expect(frames > 0, "nothing was captured");
        // If the first call brings a Kerberos token, its reply waits for the daemon that verifies
        // it.
        boolean isPrompt = run.cell().direction() != Cell.Direction.OUR_KERBEROS;
        findings.expect(
                !isPrompt || slowest < STALL.toNanos(), "a connection stalled at its start");
        connections.stream()
                .flatMap(each -> each.faults().stream())
                .distinct()
                .limit(SHOWN)
                .forEach(findings::fail);
        if (run.cell().direction() != Cell.Direction.CHUNK_SHAPES) {
            dissect(aligned, findings);
        }
        Files.delete(aligned);
    }

    private void dissect(Path aligned, CellRun.Findings findings)
            throws IOException, InterruptedException {
        var tshark = Tshark.read(aligned, run.network().host());
        findings.note("tshark took %d messages of ours apart".formatted(tshark.messages()));
        findings.expect(tshark.messages() > 0, "tshark found no message of ours");
        tshark.malformed().stream()
                .limit(SHOWN)
                .forEach(frame -> findings.fail("malformed, says tshark: " + frame));
    }
}
