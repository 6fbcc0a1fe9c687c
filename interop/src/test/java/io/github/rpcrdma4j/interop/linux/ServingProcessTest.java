package io.github.rpcrdma4j.interop.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a process counts as started when it says so. Method: shell scripts. */
class ServingProcessTest {
    @TempDir private Path directory;
    private final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();

    private ServingProcess start(String script) throws IOException, InterruptedException {
        return ServingProcess.start(
                List.of("sh", "-c", script),
                Map.of("WORD", "a word"),
                directory.resolve("log"),
                "Serving",
                lines::add);
    }

    private static boolean isAlive(ServingProcess process) {
        return ProcessHandle.of(process.pid()).map(ProcessHandle::isAlive).orElse(false);
    }

    @Test
    void startsWhenTheLineComesAndGivesAllLines() throws Exception {
        try (var process = start("echo $WORD; echo Serving here; read -r never")) {
            assertTrue(isAlive(process));
            assertEquals("a word", lines.take());
            assertEquals("Serving here", lines.take());
            process.kill();
            assertFalse(isAlive(process));
        }
        assertEquals(
                List.of("a word", "Serving here"), Files.readAllLines(directory.resolve("log")));
    }

    @Test
    void endsWithAnExplanationIfTheProcessEnds() {
        var failure = assertThrows(IOException.class, () -> start("echo no; exit 1"));
        assertTrue(failure.getMessage().contains("does not start: see "), failure::getMessage);
    }

    @Test
    void closingAsksTheProcessToEnd() throws Exception {
        var asked = directory.resolve("asked");
        try (var process =
                start(
                        "trap 'kill $!; echo >"
                                + asked
                                + "; exit' TERM; sleep 60 & echo Serving; wait")) {
            assertTrue(isAlive(process));
        }
        assertTrue(Files.exists(asked));
    }
}
