package io.github.rpcrdma4j.interop.matrix;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The outcome of one check of a cell.
 *
 * <p>Each cell runs in a process of its own, which writes its outcomes to a file:
 *
 * <pre>
 *   = check passed milliseconds
 *   ! failure                      one line each; \n stands for a line feed
 *   . note                         one line each
 * </pre>
 *
 * @param passed whether the check found no failure
 * @param failures the failures, in words
 * @param notes figures for the report
 */
public record Outcome(
        Cell cell,
        Check check,
        boolean passed,
        List<String> failures,
        List<String> notes,
        Duration took) {
    public Outcome {
        failures = List.copyOf(failures);
        notes = List.copyOf(notes);
    }

    public static List<String> encode(List<Outcome> outcomes) {
        var lines = new ArrayList<String>();
        for (var outcome : outcomes) {
            lines.add(
                    "= %s %s %d"
                            .formatted(
                                    outcome.check.name(), outcome.passed, outcome.took.toMillis()));
            outcome.failures.forEach(failure -> lines.add("! " + failure.replace("\n", "\\n")));
            outcome.notes.forEach(note -> lines.add(". " + note.replace("\n", "\\n")));
        }
        return lines;
    }

    /**
     * Returns whether lines from {@link #encode}, also of an earlier version, tell of a failure.
     */
    static boolean haveFailure(List<String> lines) {
        return lines.stream().anyMatch(line -> line.matches("= \\S+ false \\d+"));
    }

    /**
     * Decodes the outcomes of a cell.
     *
     * @throws IllegalArgumentException if the lines are not from {@link #encode}
     */
    public static List<Outcome> decode(Cell cell, List<String> lines) {
        var outcomes = new ArrayList<Outcome>();
        for (int at = 0; at < lines.size(); ) {
            var head = lines.get(at++).split(" ");
            if (head.length != 4 || !head[0].equals("=")) {
                throw new IllegalArgumentException("not an outcome: " + lines.get(at - 1));
            }
            var failures = new ArrayList<String>();
            var notes = new ArrayList<String>();
            for (; at < lines.size() && !lines.get(at).startsWith("="); at++) {
                var words = lines.get(at).substring(2).replace("\\n", "\n");
                (lines.get(at).startsWith("!") ? failures : notes).add(words);
            }
            outcomes.add(
                    new Outcome(
                            cell,
                            Check.valueOf(head[1]),
                            Boolean.parseBoolean(head[2]),
                            failures,
                            notes,
                            Duration.ofMillis(Long.parseLong(head[3]))));
        }
        return List.copyOf(outcomes);
    }
}
