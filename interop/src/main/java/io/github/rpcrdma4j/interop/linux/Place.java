package io.github.rpcrdma4j.interop.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;

/**
 * The directories of a run.
 *
 * @param home the project's root
 * @param image kernel and initial RAM disk
 * @param runs below this, one directory for each cell
 */
record Place(Path home, Path image, Path runs) {
    Path launcher() {
        return home.resolve("rpcrdma");
    }

    /**
     * What the guest sees as {@code /host}: the scenarios, and {@code export}, a directory to
     * serve.
     */
    Path shared(Cell cell) {
        return logs(cell).resolve("shared");
    }

    /** Console, capture and logs of one cell. */
    Path logs(Cell cell) {
        return runs.resolve(cell.name());
    }

    /** Where a cell leaves what its checks gave. */
    Path outcomes(Cell cell) {
        return runs.resolve(cell.name() + ".outcomes");
    }

    /** Makes the directories of a cell anew, with nothing in them but the scenarios. */
    void prepare(Cell cell) throws IOException {
        remove(logs(cell));
        copy(home.resolve("interop/scenarios"), Files.createDirectories(shared(cell)));
        Files.createDirectory(shared(cell).resolve("export"));
    }

    /** Copies all that is in a directory. */
    static void copy(Path from, Path to) throws IOException {
        try (var all = Files.walk(from)) {
            for (var each : all.skip(1).toList()) {
                Files.copy(
                        each,
                        to.resolve(from.relativize(each).toString()),
                        StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    /** Removes a directory and all that is in it, if it is there. */
    static void remove(Path directory) throws IOException {
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
