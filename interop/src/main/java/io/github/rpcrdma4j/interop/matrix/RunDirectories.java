package io.github.rpcrdma4j.interop.matrix;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;

/**
 * The directories of a run.
 *
 * @param home the project's root
 * @param image the directory with the kernel and its initial RAM disk
 * @param runs the parent of the directories of the cells
 * @param launcher the command that serves and copies
 */
public record RunDirectories(Path home, Path image, Path runs, Path launcher) {
    /** Makes the directories of a run with the command of the project itself. */
    public RunDirectories(Path home, Path image, Path runs) {
        this(home, image, runs, home.resolve("rpcrdma"));
    }

    /** Returns directories for another command. The report is about that of the project alone. */
    public RunDirectories with(Path other) {
        return other.equals(launcher)
                ? this
                : new RunDirectories(home, image, runs.resolveSibling("runs-of-command"), other);
    }

    /**
     * Returns the directory that the guest sees as {@code /host}. It has the scenarios and {@code
     * export}, a directory to serve.
     */
    public Path shared(Cell cell) {
        return logs(cell).resolve("shared");
    }

    /** Returns the directory with the console, the capture and the logs of a cell. */
    public Path logs(Cell cell) {
        return runs.resolve(cell.name());
    }

    /**
     * Returns the file to which a cell writes its outcomes. A quick run does not overwrite those of
     * a whole one.
     */
    public Path outcomes(Cell cell, boolean quick) {
        return runs.resolve(cell.name() + (quick ? ".quick" : "") + ".outcomes");
    }

    /** Returns the directory of the last run of a cell that failed. */
    Path failed(Cell cell) {
        return runs.resolve(cell.name() + ".failed");
    }

    /**
     * Makes the directories of a cell, with only the scenarios in them. Those of the run before are
     * removed, unless it failed: its captures may be all that tells why.
     */
    public void prepare(Cell cell) throws IOException {
        if (hasFailed(cell) && Files.exists(logs(cell))) {
            remove(failed(cell));
            Files.move(logs(cell), failed(cell));
        }
        remove(logs(cell));
        copy(home.resolve("interop/scenarios"), Files.createDirectories(shared(cell)));
        Files.createDirectory(shared(cell).resolve("export"));
    }

    /** Returns whether the run before failed. */
    private boolean hasFailed(Cell cell) throws IOException {
        var whole = outcomes(cell, false);
        var quick = outcomes(cell, true);
        if (Files.notExists(whole) && Files.notExists(quick)) {
            return false;
        }
        boolean isQuick =
                Files.notExists(whole)
                        || Files.exists(quick)
                                && Files.getLastModifiedTime(quick)
                                                .compareTo(Files.getLastModifiedTime(whole))
                                        > 0;
        return Outcome.haveFailure(Files.readAllLines(isQuick ? quick : whole));
    }

    /** Copies everything in a directory. */
    public static void copy(Path from, Path to) throws IOException {
        try (var all = Files.walk(from)) {
            for (var each : all.skip(1).toList()) {
                Files.copy(
                        each,
                        to.resolve(from.relativize(each).toString()),
                        StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    /** Removes a directory and everything in it, if it exists. */
    public static void remove(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (var all = Files.walk(directory)) {
            for (var each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
