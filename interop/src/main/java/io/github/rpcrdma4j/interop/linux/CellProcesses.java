package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.Cell;
import io.github.rpcrdma4j.interop.matrix.Outcome;
import io.github.rpcrdma4j.interop.matrix.RunDirectories;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs cells in parallel, each in a process with a network namespace of its own. */
final class CellProcesses {
    private final RunDirectories directories;
    private final boolean quick;
    private final PrintWriter progress;
    private final Set<Process> running = ConcurrentHashMap.newKeySet();

    CellProcesses(RunDirectories directories, boolean quick, PrintWriter progress) {
        this.directories = directories;
        this.quick = quick;
        this.progress = progress;
    }

    /**
     * Runs cells.
     *
     * @param jobs how many cells run at a time
     * @return their outcomes, in the order of the cells
     */
    List<Outcome> run(List<Cell> cells, int jobs) throws IOException, InterruptedException {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> running.forEach(Process::destroy)));
        var ends = new LinkedHashMap<Cell, Future<List<Outcome>>>();
        try (var executor = Executors.newFixedThreadPool(jobs)) {
            for (var cell : cells) {
                ends.put(cell, executor.submit(() -> run(cell)));
            }
            return collect(ends);
        }
    }

    private static List<Outcome> collect(Map<Cell, Future<List<Outcome>>> ends)
            throws IOException, InterruptedException {
        var outcomes = new ArrayList<Outcome>();
        for (var end : ends.values()) {
            try {
                outcomes.addAll(end.get());
            } catch (ExecutionException failure) {
                throw new IOException(failure.getCause().getMessage(), failure.getCause());
            }
        }
        return outcomes;
    }

    private List<Outcome> run(Cell cell) throws IOException, InterruptedException {
        var file = directories.outcomes(cell, quick);
        Files.createDirectories(file.getParent());
        Files.deleteIfExists(file);
        var process = new ProcessBuilder(command(cell)).redirectErrorStream(true).start();
        running.add(process);
        try (var printed = process.inputReader(StandardCharsets.UTF_8)) {
            for (var line = printed.readLine(); line != null; line = printed.readLine()) {
                print(cell, line);
            }
        }
        process.waitFor();
        running.remove(process);
        if (!Files.exists(file)) {
            throw new IOException(cell.name() + " ended without an outcome");
        }
        return Outcome.decode(cell, Files.readAllLines(file));
    }

    private synchronized void print(Cell cell, String line) {
        progress.printf("%-36s %s%n", cell.name(), line);
        progress.flush();
    }

    private List<String> command(Cell cell) {
        var command =
                new ArrayList<>(
                        List.of(
                                directories.home().resolve("interop/alone").toString(),
                                ProcessHandle.current().info().command().orElse("java"),
                                "--enable-native-access=ALL-UNNAMED",
                                "--module-path",
                                System.getProperty("jdk.module.path"),
                                "--module",
                                "io.github.rpcrdma4j.interop/" + Interop.class.getName(),
                                "--home",
                                directories.home().toString(),
                                "--image",
                                directories.image().toString(),
                                "--command",
                                directories.launcher().toString(),
                                "--here",
                                cell.name()));
        if (quick) {
            command.add("--quick");
        }
        return command;
    }
}
