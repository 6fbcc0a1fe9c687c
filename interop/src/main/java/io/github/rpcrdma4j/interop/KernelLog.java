package io.github.rpcrdma4j.interop;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/** What the guest's kernel says about us: nothing, but for lines that are known. */
final class KernelLog {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** Lines that a kernel in emulation says on its own, or that a scenario provokes. */
    private static final List<Pattern> KNOWN =
            List.of(
                    Pattern.compile("out-of-tree module|module verification failed"),
                    Pattern.compile("speed is unknown|amd_pstate"),
                    // The server was killed, or stopped, by the scenario itself.
                    Pattern.compile("nfs: server \\S+ (not responding|OK)"),
                    Pattern.compile("NFSD: .*"));

    private final CellRun run;

    KernelLog(CellRun run) {
        this.run = run;
    }

    void read(CellRun.Findings findings) throws IOException, InterruptedException, GuestException {
        for (var line : run.guest().run(_ -> {}, LIMIT, "kernel-log.sh").printed()) {
            if (KNOWN.stream().noneMatch(known -> known.matcher(line).find())) {
                findings.fail(line);
            }
        }
    }
}
