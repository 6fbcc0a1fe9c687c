package io.github.rpcrdma4j.interop.access;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;

/**
 * A table of cases and outcomes, kept in a file.
 *
 * @param notes what was tried and where; each note is a line of the file that starts with {@code #}
 */
public record GoldenTable(List<String> notes, List<Outcome> outcomes) {
    private static final String NOTE = "# ";
    private static final String LINUX = "linux.table";
    private static final String ACCEPTED = "accepted.table";

    public GoldenTable {
        notes = List.copyOf(notes);
        outcomes = List.copyOf(outcomes);
    }

    /** Returns the outcomes of the Linux kernel's server. */
    public static GoldenTable ofLinux() {
        return resource(LINUX);
    }

    /**
     * Returns the outcomes in which our server rightly differs from Linux. The notes give the
     * reasons.
     */
    public static GoldenTable ofAccepted() {
        return resource(ACCEPTED);
    }

    private static GoldenTable resource(String name) {
        try (var in = GoldenTable.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new AssertionError(name + " is missing");
            }
            return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList());
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    /**
     * Returns outcomes, with those of some cases replaced.
     *
     * @throws IllegalArgumentException if a replacement has an unknown id or other words, equals
     *     the outcome that it replaces, or has the id of another replacement
     */
    public static List<Outcome> replaced(List<Outcome> outcomes, List<Outcome> by) {
        var known = new HashMap<String, Outcome>();
        outcomes.forEach(outcome -> known.put(outcome.id(), outcome));
        var replaced = new HashSet<String>();
        for (var outcome : by) {
            var old = known.put(outcome.id(), outcome);
            if (!replaced.add(outcome.id())
                    || old == null
                    || !old.words().equals(outcome.words())
                    || old.equals(outcome)) {
                throw new IllegalArgumentException(
                        "this replacement has no effect or an unknown case: " + outcome.line());
            }
        }
        return outcomes.stream().map(outcome -> known.get(outcome.id())).toList();
    }

    /** Returns the source file of the Linux table, below the project's root. */
    public static Path source(Path home) {
        return home.resolve(
                "interop/src/main/resources/"
                        + GoldenTable.class.getPackageName().replace('.', '/')
                        + "/"
                        + LINUX);
    }

    /**
     * Parses the lines of a file.
     *
     * @throws IOException if a line is malformed
     */
    static GoldenTable parse(List<String> lines) throws IOException {
        var notes = new ArrayList<String>();
        var outcomes = new ArrayList<Outcome>();
        for (var line : lines) {
            if (line.startsWith(NOTE)) {
                notes.add(line.substring(NOTE.length()));
            } else {
                outcomes.add(Outcome.parse(line));
            }
        }
        return new GoldenTable(notes, outcomes);
    }

    /** Returns the lines of the file. */
    List<String> lines() {
        var lines = new ArrayList<String>();
        notes.forEach(note -> lines.add(NOTE + note));
        outcomes.forEach(outcome -> lines.add(outcome.line()));
        return lines;
    }

    /** Writes the file and makes its parent directories. */
    public void write(Path file) throws IOException {
        Files.createDirectories(file.getParent());
        Files.write(file, lines());
    }
}
