package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.RunDirectories;
import io.github.rpcrdma4j.interop.storage.Steps;
import io.github.rpcrdma4j.interop.storage.StorageClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Lists the system calls with which our server, on the host, brings each change to storage.
 *
 * @param out receives a line for each change
 */
record SyncCalls(RunDirectories directories, Path directory, Consumer<String> out) {
    private static final String LISTEN = "127.0.0.1";
    private static final int STOP_SECONDS = 10;

    /** A line of strace: process, time, call, and the path of the descriptor. */
    private static final Pattern LINE =
            Pattern.compile("\\d+ +(\\d+)\\.(\\d{6}) (fsync|fdatasync|syncfs)\\(\\d+<([^>]*)>.*");

    private record Made(Instant at, String call, String path) {}

    private record Change(Steps.Kind kind, Instant from, Instant to) {}

    /**
     * Makes all changes with both kinds of export.
     *
     * @return whether every change has such a call with {@code sync}, and no change has one with
     *     {@code async}
     */
    boolean run() throws IOException, InterruptedException {
        return run("sync") & run("async");
    }

    private boolean run(String export) throws IOException, InterruptedException {
        var served = directory.resolve(export);
        RunDirectories.remove(served);
        Files.createDirectories(served);
        var words = List.of(served + "=/export", "--allow", "/export=any,no_root_squash," + export);
        var trace = directory.resolve(export + ".strace");
        Files.deleteIfExists(trace);
        var changes = new ArrayList<Change>();
        try (var server =
                OurServer.of(
                        directories, List.of(), words, LISTEN, directory.resolve("server.log"))) {
            var strace =
                    new ProcessBuilder(
                                    "strace",
                                    "-f",
                                    "-y",
                                    "-ttt",
                                    "-e",
                                    "trace=fsync,fdatasync,syncfs",
                                    "-o",
                                    trace.toString(),
                                    "-p",
                                    Long.toString(server.pid()))
                            .redirectErrorStream(true)
                            .start();
            try (var output = strace.inputReader();
                    var client =
                            new StorageClient(
                                    new InetSocketAddress(LISTEN, server.tcpPort()), "/export")) {
                // strace prints a line when it is attached.
                output.readLine();
                var steps = new Steps(client, 1);
                for (var kind : Steps.Kind.values()) {
                    steps.prepare();
                    var from = Instant.now();
                    steps.make(kind);
                    changes.add(new Change(kind, from, Instant.now()));
                }
            } finally {
                strace.destroy();
                strace.waitFor(STOP_SECONDS, TimeUnit.SECONDS);
            }
        }
        return report(export, changes, read(trace));
    }

    private static List<Made> read(Path trace) throws IOException {
        return Files.readAllLines(trace).stream()
                .map(LINE::matcher)
                .filter(Matcher::matches)
                .map(
                        line ->
                                new Made(
                                        Instant.ofEpochSecond(
                                                Long.parseLong(line.group(1)),
                                                Long.parseLong(line.group(2)) * 1000),
                                        line.group(3),
                                        line.group(4)))
                .toList();
    }

    private boolean report(String export, List<Change> changes, List<Made> calls) {
        boolean passed = true;
        for (var change : changes) {
            var made =
                    calls.stream()
                            .filter(
                                    each ->
                                            !each.at.isBefore(change.from)
                                                    && each.at.isBefore(change.to))
                            .map(each -> each.call + " " + shortened(export, each.path))
                            .collect(Collectors.joining(", "));
            boolean wanted = export.equals("sync");
            boolean right = wanted != made.isEmpty();
            passed &= right;
            out.accept(
                    "%s %s %s: %s"
                            .formatted(
                                    right ? "PASS" : "FAIL",
                                    export,
                                    change.kind,
                                    made.isEmpty() ? "nothing" : made));
        }
        return passed;
    }

    private String shortened(String export, String path) {
        var root = directory.resolve(export).toString();
        return path.startsWith(root) ? "." + path.substring(root.length()) : path;
    }
}
