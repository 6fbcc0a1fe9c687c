package io.github.rpcrdma4j.interop.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.interop.matrix.Cell;
import io.github.rpcrdma4j.interop.matrix.Check;
import io.github.rpcrdma4j.interop.matrix.Outcome;
import io.github.rpcrdma4j.interop.matrix.RunDirectories;
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

/**
 * Goal: a matrix that was run in parts is one matrix. Method: the files that cells leave, written
 * by hand.
 */
class LastRunsTest {
    private static final Instant DAY = Instant.parse("2026-01-02T03:04:05Z");

    @TempDir private Path directory;
    private RunDirectories directories;

    @BeforeEach
    void runAllCells() throws IOException {
        directories = new RunDirectories(directory, directory, directory);
        for (var cell : Cell.all()) {
            leave(cell, true, DAY);
        }
    }

    private void leave(Cell cell, boolean passed, Instant ended) throws IOException {
        var failures = passed ? List.<String>of() : List.of("a reason");
        var outcome =
                new Outcome(cell, Check.MOUNT, passed, failures, List.of(), Duration.ofSeconds(1));
        var file = directories.outcomes(cell, false);
        Files.write(file, Outcome.encode(List.of(outcome)));
        Files.setLastModifiedTime(file, FileTime.from(ended));
    }

    @Test
    void joinsTheRunsOfAllCells() throws IOException {
        var last = LastRuns.read(directories);
        last.requireAll();
        assertEquals(Cell.all(), last.outcomes().stream().map(Outcome::cell).toList());
        assertEquals("on 2026-01-02", last.when());
    }

    @Test
    void namesTheFirstAndTheLastDay() throws IOException {
        leave(Cell.all().getFirst(), true, DAY.plus(Duration.ofDays(3)));
        leave(Cell.all().getLast(), true, DAY.minus(Duration.ofDays(1)));
        assertEquals("between 2026-01-01 and 2026-01-05", LastRuns.read(directories).when());
    }

    @Test
    void namesACellThatFailed() throws IOException {
        var cell = Cell.all().get(3);
        leave(cell, false, DAY);
        var last = LastRuns.read(directories);
        var failure = assertThrows(IOException.class, last::requireAll);
        assertEquals("these cells failed: " + cell.name(), failure.getMessage());
    }

    @Test
    void doesNotTakeAQuickRunForAWholeOne() throws IOException {
        var cell = Cell.all().get(3);
        Files.move(directories.outcomes(cell, false), directories.outcomes(cell, true));
        var last = LastRuns.read(directories);
        var failure = assertThrows(IOException.class, last::requireAll);
        assertTrue(
                failure.getMessage().endsWith("never run: " + cell.name()), failure.getMessage());
    }
}
