package io.github.rpcrdma4j.interop.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs every command that uses files of a server, by several versions of NFS, as {@code
 * dev/versions} does.
 *
 * @param run the cell, whose directory of logs gets the table
 */
record EveryCommand(CellRun run) {
    /** A command takes some seconds beside a guest that is emulated. */
    private static final Duration LIMIT = Duration.ofMinutes(40);

    private static final String FAILED = "FAIL  ";

    /**
     * Runs the commands.
     *
     * @param versions of NFS, as {@code --vers} takes them
     * @param urls of a directory that may be changed
     */
    void make(List<String> versions, List<String> urls, CellRun.Findings findings)
            throws IOException, InterruptedException {
        var command = new ArrayList<String>();
        command.add(run.directories().home().resolve("dev/versions").toString());
        command.addAll(List.of("--vers", String.join(",", versions)));
        command.addAll(List.of("--mount-tcp", Integer.toString(Network.MOUNT_PORT)));
        command.addAll(List.of("--rpcrdma", run.directories().launcher().toString()));
        command.addAll(urls);
        var printed = run.logs().resolve("every-command.log");
        var process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(printed.toFile())
                        .start();
        if (!process.waitFor(LIMIT)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            findings.fail("not ended after " + LIMIT.toMinutes() + " minutes: see " + printed);
            return;
        }
        var lines = Files.readAllLines(printed);
        for (var line : lines) {
            if (line.startsWith(FAILED)) {
                findings.fail(line.substring(FAILED.length()));
            }
        }
        long rows = lines.stream().filter(line -> line.contains("| ok ")).count();
        findings.note(rows + " commands by " + String.join(", ", versions));
        findings.expect(process.exitValue() == 0, "dev/versions ended with " + process.exitValue());
        findings.expect(rows > 0, "no command was run: " + lines);
    }
}
