package io.github.rpcrdma4j.bench.study;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Counts the system calls of a process with strace. */
final class Strace implements AutoCloseable {
    private static final String COMMAND = "strace";
    private static final long END_SECONDS = 20;
    private static final int CALLS_COLUMN = 3;

    private final Process process;
    private final Path summary;

    private Strace(Process process, Path summary) {
        this.process = process;
        this.summary = summary;
    }

    /** Returns whether this machine has strace. */
    static boolean isInstalled() {
        var directories = System.getenv().getOrDefault("PATH", "").split(":");
        return List.of(directories).stream()
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, COMMAND)));
    }

    /** Attaches to all threads of a process, and returns when strace counts. */
    static Strace attach(long pid) throws IOException {
        var summary = Files.createTempFile("strace", ".txt");
        var process =
                new ProcessBuilder(COMMAND, "-f", "-c", "-o", summary.toString(), "-p", "" + pid)
                        .redirectErrorStream(true)
                        .start();
        var attached = new Strace(process, summary);
        BufferedReader output = process.inputReader();
        var line = output.readLine();
        if (line == null || !line.contains("attached")) {
            attached.close();
            throw new IOException("strace does not attach: " + line);
        }
        Thread.ofVirtual().start(() -> drain(output));
        return attached;
    }

    /**
     * Discards strace's output: it reports every new and ended thread, and blocks if no thread
     * reads this.
     */
    private static void drain(BufferedReader output) {
        try {
            while (output.readLine() != null) {
                continue;
            }
        } catch (IOException _) {
            // strace ended.
        }
    }

    /** Detaches, and returns the number of calls by the name of the system call. */
    Map<String, Long> counts() throws IOException {
        end();
        return parsed(Files.readAllLines(summary));
    }

    /**
     * Parses a summary of strace.
     *
     * <pre>
     *   % time     seconds  usecs/call     calls    errors syscall
     *   ------ ----------- ----------- --------- --------- ----------------
     *    98.20    0.104032          10     10021        12 read
     * </pre>
     */
    static Map<String, Long> parsed(List<String> lines) {
        var counts = new HashMap<String, Long>();
        for (var line : lines) {
            var columns = line.strip().split(" +");
            var name = columns[columns.length - 1];
            if (columns.length > CALLS_COLUMN
                    && Character.isDigit(columns[0].charAt(0))
                    && !name.equals("total")) {
                counts.put(name, Long.valueOf(columns[CALLS_COLUMN]));
            }
        }
        return counts;
    }

    private void end() throws IOException {
        process.destroy();
        try {
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException _) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws IOException {
        end();
        Files.deleteIfExists(summary);
    }
}
