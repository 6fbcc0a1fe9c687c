package io.github.rpcrdma4j.dissect.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: arguments with which {@code dev/fuzz} cannot start are answered by one line, at once. */
class FuzzCommandTest {
    private static final long END_SECONDS = 60;
    private static final Path COMMAND =
            Path.of(System.getProperty("project.root")).resolve("dev/fuzz");

    @TempDir private Path directory;

    private List<String> printed(int exit, String arguments) throws Exception {
        var words = new ArrayList<>(List.of(COMMAND.toString()));
        words.addAll(List.of(arguments.split(" ")));
        words.removeIf(String::isEmpty);
        var output = directory.resolve("printed");
        var builder = new ProcessBuilder(words).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        var process = builder.redirectOutput(output.toFile()).start();
        try {
            assertTrue(process.waitFor(END_SECONDS, TimeUnit.SECONDS), "the command ends");
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        var lines = Files.readAllLines(output);
        assertEquals(exit, process.exitValue(), lines::toString);
        return lines;
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "rpcrdma", "rpcrdma soon", "nothing 1", "--keep", "--keep nothing"})
    void argumentsThatAreMissingOrWrongAreAnsweredByTheUsage(String arguments) throws Exception {
        var lines = printed(2, arguments);
        assertEquals(1, lines.size(), lines::toString);
        assertTrue(lines.getFirst().contains("Usage: dev/fuzz DECODER SECONDS"), lines::toString);
    }

    @Test
    void theListNamesTheDecoders() throws Exception {
        assertTrue(printed(0, "--list").contains("rpcrdma"));
    }
}
