package io.github.rpcrdma4j.interop.linux;

/** What crossed the wire. */
final class Recording {
    private final CellRun run;

    Recording(CellRun run) {
        this.run = run;
    }

    void read(CellRun.Findings findings) {
        findings.note(run.logs().resolve("capture.pcap").toFile().length() + " octets");
    }
}
