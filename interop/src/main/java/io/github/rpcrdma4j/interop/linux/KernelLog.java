package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.KnownWarning;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/** Checks that the guest's kernel logged no warnings, except for known ones. */
record KernelLog(CellRun run) {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final Pattern WARNING_BEGINS = Pattern.compile("cut here");
    private static final Pattern WARNING_ENDS = Pattern.compile("end trace");
    private static final Pattern WHERE = Pattern.compile("RIP: 0010:(\\w+)");

    /** Lines that this kernel logs with any peer, or that a scenario provokes. */
    private static final List<Pattern> KNOWN =
            List.of(
                    Pattern.compile("out-of-tree module|module verification failed"),
                    Pattern.compile("speed is unknown"),
                    // The short packets of the variant with small segments.
                    Pattern.compile("suspect GRO implementation"),
                    // The host gave the emulator no processor time.
                    Pattern.compile("hrtimer: interrupt took"),
                    // A thread that acts as its callers asks whether the kernel takes its commands.
                    Pattern.compile("uverbs_write: .* changed security contexts"),
                    Pattern.compile("iwpm_register_pid: Unable to send a nlmsg"),
                    // The scenario itself killed or stopped the server.
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
        if (KnownWarning.isKnown(words, run.cell().direction())) {
            findings.note("known: " + words);
        } else {
            findings.fail("the kernel warns: " + words);
        }
    }
}
