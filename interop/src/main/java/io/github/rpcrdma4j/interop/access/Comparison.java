package io.github.rpcrdma4j.interop.access;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The comparison of two tables.
 *
 * @param same cases with the same outcome in both
 * @param differences the other cases, in the order of the first table
 */
public record Comparison(List<Outcome> same, List<Difference> differences) {
    /** The outcome of a case that only the other table has. */
    private static final String MISSING = "(not tried)";

    /**
     * A case with different outcomes in two tables.
     *
     * @param expected the outcome in the first table
     * @param found the outcome in the second table
     */
    public record Difference(String id, String words, String expected, String found) {
        private String group() {
            return id.substring(0, id.indexOf('/'));
        }
    }

    public Comparison {
        same = List.copyOf(same);
        differences = List.copyOf(differences);
    }

    /** Compares two tables by the ids of their cases. */
    public static Comparison of(List<Outcome> expected, List<Outcome> found) {
        var others = new LinkedHashMap<String, Outcome>();
        found.forEach(outcome -> others.put(outcome.id(), outcome));
        var same = new ArrayList<Outcome>();
        var differences = new ArrayList<Difference>();
        for (var outcome : expected) {
            var other = others.remove(outcome.id());
            if (outcome.equals(other)) {
                same.add(outcome);
            } else {
                differences.add(
                        new Difference(
                                outcome.id(),
                                outcome.words(),
                                outcome.found(),
                                other == null ? MISSING : found(outcome, other)));
            }
        }
        for (var other : others.values()) {
            differences.add(new Difference(other.id(), other.words(), MISSING, other.found()));
        }
        return new Comparison(same, differences);
    }

    private static String found(Outcome expected, Outcome other) {
        return expected.words().equals(other.words())
                ? other.found()
                : "(another case: " + other.words() + ") " + other.found();
    }

    /** Returns the differences, three lines each, and the number of differences in each group. */
    public List<String> lines(String expectedOf, String foundOf) {
        var lines = new ArrayList<String>();
        for (var difference : differences) {
            lines.add(difference.id() + " | " + difference.words());
            lines.add("    %-8s %s".formatted(expectedOf, difference.expected()));
            lines.add("    %-8s %s".formatted(foundOf, difference.found()));
        }
        var of = new TreeMap<String, Integer>();
        same.forEach(outcome -> of.merge(outcome.group(), 1, Integer::sum));
        Map<String, Integer> differing = new TreeMap<>();
        differences.forEach(each -> differing.merge(each.group(), 1, Integer::sum));
        differing.forEach((group, count) -> of.merge(group, count, Integer::sum));
        lines.add("");
        for (var group : new TreeSet<>(of.keySet())) {
            lines.add(
                    "%-18s %4d cases, %4d differ"
                            .formatted(group, of.get(group), differing.getOrDefault(group, 0)));
        }
        lines.add(
                "%-18s %4d cases, %4d differ"
                        .formatted("all", same.size() + differences.size(), differences.size()));
        return lines;
    }
}
