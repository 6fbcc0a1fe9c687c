package io.github.rpcrdma4j.cli.terminal;

import io.github.rpcrdma4j.cli.pattern.NamePattern;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Status;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.UnmatchedArgumentException;

/** Suggests commands and options that a user may have meant by an unknown argument. */
public final class Suggestions {
    /** One mistake is tolerated, plus one per twice this many letters. */
    private static final int LETTERS_PER_MISTAKE = 3;

    /** Commands of other programs, and what does their work here. */
    private static final Map<String, String> ELSEWHERE =
            Map.of(
                    "mirror", "sync --delete",
                    "diff", "sync -c -n",
                    "check", "sync -c -n",
                    "mount", "mount -t nfs, of the system");

    private Suggestions() {}

    /** Returns a line about the first unknown argument. */
    public static String line(UnmatchedArgumentException wrong) {
        var spec = wrong.getCommandLine().getCommandSpec();
        var typed =
                wrong.getUnmatched().stream()
                        .filter(each -> each.startsWith("-"))
                        .findFirst()
                        .orElse(wrong.getUnmatched().getFirst());
        if (typed.startsWith("-")) {
            var word = typed.replaceFirst("=.*", "");
            if (spec.optionsMap().containsKey("-" + word)) {
                return "there is no option " + word + meant(List.of("-" + word));
            }
            if (word.equals("--progress")) {
                return "there is no option --progress: a terminal shows it without one";
            }
            if (word.equals("--partial") && spec.optionsMap().containsKey("--resume")) {
                return "there is no option --partial" + meant(List.of("--resume"));
            }
            return word.matches("-[^-].+")
                    ? "there is no option "
                            + unknownLetter(word, spec)
                            + ", as in "
                            + word
                            + "; a name that starts with - goes behind --"
                    : "there is no option " + word + meant(near(word, options(spec)));
        }
        if (spec.parent() == null) {
            return "there is no command " + typed + command(typed, spec);
        }
        return spec.name() + " has an extra argument: " + typed;
    }

    /** Returns the first letter of combined ones that is no option. */
    private static String unknownLetter(String letters, CommandSpec spec) {
        return letters.codePoints()
                .skip(1)
                .mapToObj(letter -> "-" + Character.toString(letter))
                .filter(option -> spec.findOption(option) == null)
                .findFirst()
                .orElse(letters);
    }

    /** Returns a suggestion of commands with similar names; empty if there is none. */
    public static String command(String typed, CommandSpec root) {
        var elsewhere = ELSEWHERE.get(typed);
        return elsewhere == null
                ? meant(near(typed, root.subcommands().keySet()))
                : meant(List.of(elsewhere));
    }

    /** Returns a hint if a missing name looks like a pattern; empty otherwise. */
    static String patterns(NfsException refused) {
        return refused.status() == Status.NOENT && NamePattern.mayBePattern(refused.getMessage())
                ? " (no command takes a pattern here)"
                : "";
    }

    private static List<String> options(CommandSpec spec) {
        return spec.options().stream()
                .flatMap(option -> Stream.of(option.names()))
                .filter(name -> name.startsWith("--"))
                .toList();
    }

    /** Returns the question whether one of the names was meant; empty if there is none. */
    public static String meant(List<String> near) {
        return near.isEmpty() ? "" : ": did you mean " + String.join(" or ", near) + "?";
    }

    /** Returns the names with the fewest differences, if those are few. */
    public static List<String> near(String typed, Collection<String> names) {
        var byDistance =
                names.stream()
                        .filter(
                                name ->
                                        distance(typed, name)
                                                <= 1 + name.length() / (2 * LETTERS_PER_MISTAKE))
                        .collect(Collectors.groupingBy(name -> distance(typed, name)));
        return byDistance.keySet().stream()
                .min(Comparator.naturalOrder())
                .map(fewest -> byDistance.get(fewest).stream().sorted().toList())
                .orElse(List.of());
    }

    /** Returns the number of extra, missing, wrong and swapped letters (edit distance). */
    private static int distance(String typed, String name) {
        int[][] least = new int[typed.length() + 1][name.length() + 1];
        for (int i = 0; i <= typed.length(); i++) {
            for (int j = 0; j <= name.length(); j++) {
                if (i == 0 || j == 0) {
                    least[i][j] = i + j;
                    continue;
                }
                boolean same = typed.charAt(i - 1) == name.charAt(j - 1);
                int changed = least[i - 1][j - 1] + (same ? 0 : 1);
                least[i][j] = Math.min(changed, 1 + Math.min(least[i - 1][j], least[i][j - 1]));
                boolean swapped =
                        i > 1
                                && j > 1
                                && typed.charAt(i - 1) == name.charAt(j - 2)
                                && typed.charAt(i - 2) == name.charAt(j - 1);
                if (swapped) {
                    least[i][j] = Math.min(least[i][j], least[i - 2][j - 2] + 1);
                }
            }
        }
        return least[typed.length()][name.length()];
    }
}
