package io.github.rpcrdma4j.interop.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: what a failed run has left is there until another run fails. */
class RunDirectoriesTest {
    private static final Instant DAY = Instant.parse("2026-01-02T03:04:05Z");

    @TempDir private Path directory;
    private final Cell cell = Cell.all().getFirst();
    private RunDirectories directories;

    @BeforeEach
    void makeScenarios() throws IOException {
        directories = new RunDirectories(directory, directory, directory.resolve("runs"));
        Files.createDirectories(directory.resolve("interop/scenarios"));
    }

    /** Writes what a run leaves. */
    private void run(String log, boolean passed, boolean quick, Instant ended) throws IOException {
        directories.prepare(cell);
        Files.writeString(directories.logs(cell).resolve("log"), log);
        var outcome =
                new Outcome(cell, Check.MOUNT, passed, List.of(), List.of(), Duration.ofSeconds(1));
        var file = directories.outcomes(cell, quick);
        Files.write(file, Outcome.encode(List.of(outcome)));
        Files.setLastModifiedTime(file, FileTime.from(ended));
    }

    private String failedLog() throws IOException {
        return Files.readString(directories.failed(cell).resolve("log"));
    }

    @Test
    void aRunAfterAFailedOneSparesItsFiles() throws IOException {
        run("1", false, false, DAY);
        run("2", true, true, DAY.plusSeconds(1));
        run("3", true, false, DAY.plusSeconds(2));
        assertEquals("1", failedLog());
        run("4", false, true, DAY.plusSeconds(3));
        directories.prepare(cell);
        assertEquals("4", failedLog());
    }

    @Test
    void aRunAfterOneThatPassedRemovesItsFiles() throws IOException {
        run("1", true, false, DAY);
        directories.prepare(cell);
        assertTrue(Files.notExists(directories.logs(cell).resolve("log")));
        assertTrue(Files.notExists(directories.failed(cell)));
    }
}
