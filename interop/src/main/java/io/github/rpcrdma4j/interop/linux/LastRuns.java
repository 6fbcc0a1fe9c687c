package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.Cell;
import io.github.rpcrdma4j.interop.matrix.Outcome;
import io.github.rpcrdma4j.interop.matrix.Report;
import io.github.rpcrdma4j.interop.matrix.RunDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/**
 * The outcomes of the last whole run of each cell.
 *
 * @param runs the cells that have such a run, in the order of the matrix
 * @param missing the names of the cells that have none
 */
record LastRuns(List<Run> runs, List<String> missing) {
    /**
     * The last whole run of a cell.
     *
     * @param day when it ended, in UTC
     */
    record Run(Cell cell, LocalDate day, List<Outcome> outcomes) {
        private boolean passed() {
            return new Report(outcomes).passed();
        }
    }

    /** Reads what the runs of all cells have left. */
    static LastRuns read(RunDirectories directories) throws IOException {
        var runs = new ArrayList<Run>();
        var missing = new ArrayList<String>();
        for (var cell : Cell.all()) {
            var file = directories.outcomes(cell, false);
            if (Files.exists(file)) {
                var ended = Files.getLastModifiedTime(file).toInstant();
                runs.add(
                        new Run(
                                cell,
                                LocalDate.ofInstant(ended, ZoneOffset.UTC),
                                Outcome.decode(cell, Files.readAllLines(file))));
            } else {
                missing.add(cell.name());
            }
        }
        return new LastRuns(List.copyOf(runs), List.copyOf(missing));
    }

    /**
     * Checks that each cell has passed.
     *
     * @throws IOException if not; the message names the cells
     */
    void requireAll() throws IOException {
        if (!missing.isEmpty()) {
            throw new IOException("these cells were never run: " + String.join(", ", missing));
        }
        var failed = runs.stream().filter(run -> !run.passed()).map(run -> run.cell().name());
        var names = failed.toList();
        if (!names.isEmpty()) {
            throw new IOException("these cells failed: " + String.join(", ", names));
        }
    }

    List<Outcome> outcomes() {
        return runs.stream().flatMap(run -> run.outcomes().stream()).toList();
    }

    /** Returns the days of the runs: "on" one, or "between" two. */
    String when() {
        var days = runs.stream().map(Run::day).sorted().toList();
        return days.getFirst().equals(days.getLast())
                ? "on " + days.getFirst()
                : "between " + days.getFirst() + " and " + days.getLast();
    }
}
