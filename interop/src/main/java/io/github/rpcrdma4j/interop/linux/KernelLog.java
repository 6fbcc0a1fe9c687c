package io.github.rpcrdma4j.interop.linux;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/** What the guest's kernel says about us: nothing, but for what is known. */
record KernelLog(CellRun run) {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final Pattern WARNING_BEGINS = Pattern.compile("cut here");
    private static final Pattern WARNING_ENDS = Pattern.compile("end trace");
    private static final Pattern WHERE = Pattern.compile("RIP: 0010:(\\w+)");

    /** Lines that this kernel says to any peer, or that a scenario provokes. */
    private static final List<Pattern> KNOWN =
            List.of(
                    Pattern.compile("out-of-tree module|module verification failed"),
                    Pattern.compile("speed is unknown"),
                    // Packets as short as those of the small segments.
                    Pattern.compile("suspect GRO implementation"),
                    // The emulator was not given the processor.
                    Pattern.compile("hrtimer: interrupt took"),
                    // The server was killed, or stopped, by the scenario itself.
                    Pattern.compile("nfs: server \\S+ (not responding|OK)"));

    void read(CellRun.Findings findings) throws IOException, InterruptedException, GuestException {
        boolean inWarning = false;
        for (var line : run.guest().run(_ -> {}, LIMIT, "kernel-log.sh").printed()) {
            if (WARNING_BEGINS.matcher(line).find()) {
                inWarning = true;
            } else if (WARNING_ENDS.matcher(line).find()) {
                inWarning = false;
            } else if (inWarning) {
                var where = WHERE.matcher(line);
                if (where.find()) {
                    judge(where.group(1), findings);
                }
            } else if (KNOWN.stream().noneMatch(known -> known.matcher(line).find())) {
                judge(line, findings);
            }
        }
    }

    private void judge(String words, CellRun.Findings findings) {
        if (KnownWarning.holds(words, run.cell().direction())) {
            findings.note("known: " + words);
        } else {
            findings.fail("the kernel warns: " + words);
        }
    }
}
