package io.github.rpcrdma4j.interop.linux;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What one check of a cell gave.
 *
 * <p>Cells run in processes of their own and leave their outcomes in a file:
 *
 * <pre>
 *   = check passed milliseconds
 *   ! failure                      for each, its line ends as \n
 *   . note                         for each
 * </pre>
 *
 * @param passed whether all of it held
 * @param failures what did not
 * @param notes figures worth keeping
 */
record Outcome(
        Cell cell,
        Check check,
        boolean passed,
        List<String> failures,
        List<String> notes,
        Duration took) {
    Outcome {
        failures = List.copyOf(failures);
        notes = List.copyOf(notes);
    }

    static List<String> encode(List<Outcome> outcomes) {
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
     * The outcomes of a cell.
     *
     * @throws IllegalArgumentException if these are not lines of {@link #encode}
     */
    static List<Outcome> decode(Cell cell, List<String> lines) {
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
