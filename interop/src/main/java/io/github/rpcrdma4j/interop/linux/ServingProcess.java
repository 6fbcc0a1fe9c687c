package io.github.rpcrdma4j.interop.linux;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** A process that serves until it is ended, and whose output goes to a file. */
final class ServingProcess implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofSeconds(120);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(20);

    private final Process process;

    private ServingProcess(Process process) {
        this.process = process;
    }

    /**
     * Starts a process, and waits until it says that it serves. The process does not survive this
     * one.
     *
     * @param environment variables besides those of this process
     * @param log the file to which the output is appended
     * @param ready the start of the line that says so
     * @param lines receives each line of the output
     * @throws IOException if the process ends, or takes too long
     */
    static ServingProcess start(
            List<String> command,
            Map<String, String> environment,
            Path log,
            String ready,
            Consumer<String> lines)
            throws IOException, InterruptedException {
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        var process = builder.start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        var started = new CompletableFuture<Void>();
        var printed = process.inputReader(StandardCharsets.UTF_8);
        // No virtual thread: one of these has begun two minutes late, when the start was given up.
        Thread.ofPlatform().daemon().start(() -> pump(printed, log, ready, lines, started));
        try {
            started.get(START_LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException failure) {
            process.destroyForcibly();
            throw new IOException(command.getFirst() + " does not start: see " + log, failure);
        }
        return new ServingProcess(process);
    }

    private static void pump(
            BufferedReader printed,
            Path log,
            String ready,
            Consumer<String> lines,
            CompletableFuture<Void> started) {
        try (printed;
                var writer =
                        Files.newBufferedWriter(
                                log, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (var line = printed.readLine(); line != null; line = printed.readLine()) {
                writer.write(line);
                writer.newLine();
                writer.flush();
                if (line.startsWith(ready)) {
                    started.complete(null);
                }
                lines.accept(line);
            }
        } catch (IOException _) {
            // A check killed the process.
        } finally {
            started.completeExceptionally(new IOException("the process ended"));
        }
    }

    long pid() {
        return process.pid();
    }

    /** Kills the process, which can clean nothing up. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Asks the process to end, and kills it if it does not. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (process.waitFor(STOP_LIMIT)) {
                return;
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
    }
}
