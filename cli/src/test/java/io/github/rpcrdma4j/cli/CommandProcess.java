package io.github.rpcrdma4j.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Runs a command in a process of its own, with standard streams and an environment that a test
 * chooses.
 */
public final class CommandProcess {
    private static final long END_SECONDS = 60;

    private CommandProcess() {}

    /** The exit code of a process, and the lines of its standard error. */
    public record Ended(int status, List<String> errLines) {}

    private static ProcessBuilder builder(String... arguments) {
        return builder(List.of(), arguments);
    }

    private static ProcessBuilder builder(List<String> before, String... arguments) {
        var command = new ArrayList<>(before);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add(Rpcrdma.class.getName());
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command);
    }

    /**
     * Runs a command that a shell starts.
     *
     * @param script receives the command in {@code $0} and {@code $@}
     * @param arguments the first arguments of the command
     */
    public static Ended ofShell(String script, String... arguments)
            throws IOException, InterruptedException {
        return ended(builder(List.of("sh", "-c", script), arguments).start());
    }

    /** Runs a command with a file as standard input; its standard output is discarded. */
    public static Ended from(File in, String... arguments)
            throws IOException, InterruptedException {
        return ended(
                builder(arguments)
                        .redirectInput(in)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start());
    }

    /** Starts a command that runs while the test continues. */
    public static Process start(String... arguments) throws IOException {
        return builder(arguments).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    }

    /** Runs a command whose standard output is a file or a device. */
    public static Ended to(File out, String... arguments) throws IOException, InterruptedException {
        return ended(builder(arguments).redirectOutput(out).start());
    }

    /** Runs a command with additional environment variables; its standard output is discarded. */
    public static Ended with(Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        var builder = builder(arguments).redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment().putAll(environment);
        return ended(builder.start());
    }

    /**
     * Runs a command whose standard output is a pipe that loses its reader.
     *
     * @param last the reader closes the pipe after a line with this start; null to close it at once
     */
    public static Ended withoutReader(String last, String... arguments)
            throws IOException, InterruptedException {
        var process = builder(arguments).start();
        try (var reader = process.inputReader()) {
            var line = last == null ? "" : reader.readLine();
            while (last != null && line != null && !line.startsWith(last)) {
                line = reader.readLine();
            }
            assertTrue(line != null, "it ended before that line");
        }
        return ended(process);
    }

    public static Ended ended(Process process) throws IOException, InterruptedException {
        // Its standard error fits into the buffer of the pipe.
        if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("the command does not end");
        }
        try (var err = process.errorReader()) {
            return new Ended(process.exitValue(), err.lines().toList());
        }
    }
}
