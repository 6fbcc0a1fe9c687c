package io.github.rpcrdma4j.interop.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Copies a tree of all kinds of files to the kernel's server and back, and requires equal
 * attributes.
 */
record ArchiveCopies(CellRun run, Commands commands) {
    private static final Duration LIMIT = Duration.ofSeconds(240);
    private static final String SCRIPT = "linux-server/attributes.sh";
    private static final int SHOWN_MAX = 3;

    void make(CellRun.Findings findings) throws IOException, InterruptedException, GuestException {
        var tree = run.logs().resolve("attributes");
        onHost(findings, "make", tree);
        var made = onHost(findings, "list", tree);
        findings.note(made.size() - 1 + " files");
        commands.succeeds(findings, LIMIT, "put", "-a", tree.toString(), commands.url(""));
        var there = run.guest().run(_ -> {}, LIMIT, SCRIPT, "list", "/export/attributes");
        compare(findings, "knfsd holds", made, there.printed());
        var back = run.logs().resolve("attributes-back");
        commands.succeeds(
                findings, LIMIT, "get", "-a", commands.url("/attributes"), back.toString());
        compare(findings, "the returned copy has", made, onHost(findings, "list", back));
        run.guest().run(_ -> {}, LIMIT, SCRIPT, "remove", "/export/attributes");
        for (var each : List.of(tree, back)) {
            onHost(findings, "remove", each);
        }
    }

    /** Runs the script on the host and returns the lines that it printed. */
    private List<String> onHost(CellRun.Findings findings, String what, Path tree)
            throws IOException, InterruptedException {
        var script = run.directories().shared(run.cell()).resolve(SCRIPT);
        var printed = Files.createTempFile(run.logs(), what, ".log");
        int status =
                new ProcessBuilder("sh", script.toString(), what, tree.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(printed.toFile())
                        .start()
                        .waitFor();
        var lines = Files.readAllLines(printed);
        Files.delete(printed);
        findings.expect(status == 0, what + " of " + tree + ": " + lines);
        return lines;
    }

    private static void compare(
            CellRun.Findings findings, String what, List<String> source, List<String> copy) {
        var missing = new ArrayList<>(source);
        missing.removeAll(copy);
        var more = new ArrayList<>(copy);
        more.removeAll(source);
        findings.expect(
                missing.isEmpty() && more.isEmpty(),
                "%s %s instead of %s".formatted(what, shown(more), shown(missing)));
    }

    private static List<String> shown(List<String> lines) {
        return lines.subList(0, Math.min(SHOWN_MAX, lines.size()));
    }
}
