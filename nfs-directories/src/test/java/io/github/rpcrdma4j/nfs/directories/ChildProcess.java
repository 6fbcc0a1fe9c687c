package io.github.rpcrdma4j.nfs.directories;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Starts a separate JVM, for tests that would harm the test JVM or that observe a JVM from outside.
 */
public final class ChildProcess {
    private static final long DEADLINE_SECONDS = 180;

    private ChildProcess() {}

    /**
     * Skips the test if a command does not succeed here.
     *
     * @param reason the reason to report if the test is skipped
     */
    public static void assumeWorks(String reason, String... command) throws Exception {
        int status;
        try {
            var process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getInputStream().readAllBytes();
            status = process.waitFor();
        } catch (IOException missing) {
            status = -1;
        }
        assumeTrue(status == 0, reason);
    }

    /**
     * Runs the main method of a class with this class path, and fails if its process fails.
     *
     * @param prefix a command that runs another command, with its arguments; may be empty
     */
    public static void run(List<String> prefix, Class<?> main, String... arguments)
            throws Exception {
        var command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
        command.addAll(
                List.of(
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        main.getName()));
        command.addAll(List.of(arguments));
        var output = Files.createTempFile("nfs-server", ".out");
        try {
            var process =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start();
            boolean ended = process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS);
            if (!ended) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly().waitFor();
            }
            assertEquals(0, process.exitValue(), () -> text(output));
        } finally {
            Files.delete(output);
        }
    }

    private static String text(Path output) {
        try {
            return Files.readString(output);
        } catch (IOException unreadable) {
            return unreadable.toString();
        }
    }
}
