package io.github.rpcrdma4j.cli.hostile;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/** What {@code dev/evil} prints. */
public final class TrialReport {
    private TrialReport() {}

    /** Ends this process, because a word of its command line is neither a lie nor a command. */
    public static void refuse(String word) {
        System.err.println("no lie and no command is called " + word);
        System.exit(2);
    }

    /** Returns what became of a trial. */
    public static String line(Trial.Outcome outcome) {
        var said = outcome.errLines().isEmpty() ? "" : ": " + outcome.errLines().getLast();
        return "%-4s %-23s %-11s %3d%s in %4.1f s, %3d MiB%s%s"
                .formatted(
                        outcome.faults().isEmpty() ? "PASS" : "FAIL",
                        outcome.lie().word(),
                        outcome.command().word(),
                        outcome.status(),
                        outcome.stopped() ? " stopped" : "",
                        outcome.seconds(),
                        outcome.memory() / 1024,
                        outcome.faults().isEmpty() ? "" : " " + outcome.faults(),
                        said.length() > 200 ? said.substring(0, 200) + "..." : said);
    }

    /**
     * Prints a line per lie: how its commands ended, and the longest time and the largest memory.
     *
     * @return whether all trials have passed
     */
    public static boolean table(List<Trial.Outcome> outcomes) {
        System.out.printf(
                "%n%-32s %5s %5s %7s %6s %7s %6s%n",
                "", "0", "1, 2", "stopped", "s", "MiB", "failed");
        var byLie = new LinkedHashMap<String, List<Trial.Outcome>>();
        for (var each : outcomes) {
            byLie.computeIfAbsent(each.lie().word(), _ -> new ArrayList<>()).add(each);
        }
        byLie.forEach(
                (lie, its) ->
                        System.out.printf(
                                "%-32s %5d %5d %7d %6.1f %7d %6d%n",
                                lie,
                                its.stream().filter(each -> each.status() == 0).count(),
                                its.stream()
                                        .filter(each -> each.status() != 0 && !each.stopped())
                                        .count(),
                                its.stream().filter(Trial.Outcome::stopped).count(),
                                its.stream().mapToDouble(Trial.Outcome::seconds).max().orElse(0),
                                its.stream().mapToLong(Trial.Outcome::memory).max().orElse(0)
                                        / 1024,
                                its.stream().filter(each -> !each.faults().isEmpty()).count()));
        return outcomes.stream().allMatch(each -> each.faults().isEmpty());
    }
}
