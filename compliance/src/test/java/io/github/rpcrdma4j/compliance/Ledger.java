package io.github.rpcrdma4j.compliance;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The rules of all documents, in their order, and the problems of their rows.
 *
 * <p>A ledger is a file of tab-separated columns under {@code specs/}: id, section, level, who,
 * requirement, status. A status is {@code implemented}, {@code exception: REASON}, {@code planned:
 * FEATURE} or {@code planned: FEATURE; WHAT HOLDS TODAY}.
 */
record Ledger(Map<String, Rule> rules, List<String> problems) {
    static final String TITLES = "id\tsection\tlevel\twho\trequirement\tstatus";
    private static final int COLUMNS = 6;

    /**
     * @param files lines of the ledgers by document, such as 8166 or 5040
     */
    static Ledger of(Map<String, List<String>> files) {
        var rules = new LinkedHashMap<String, Rule>();
        var problems = new ArrayList<String>();
        files.forEach((document, rows) -> read(document, rows, rules, problems));
        return new Ledger(rules, problems);
    }

    private static void read(
            String document, List<String> rows, Map<String, Rule> rules, List<String> problems) {
        if (rows.isEmpty() || !rows.getFirst().equals(TITLES)) {
            problems.add("the ledger of " + document + " does not start with its titles");
            return;
        }
        for (var row : rows.subList(1, rows.size())) {
            var columns = row.split("\t", -1);
            var level = Rule.Level.of(columns.length == COLUMNS ? columns[2] : "");
            var status = Rule.Status.of(columns.length == COLUMNS ? columns[5] : "");
            if (columns.length != COLUMNS || columns[3].isBlank() || columns[4].isBlank()) {
                problems.add("not six columns: " + row);
            } else if (!columns[0].matches(document + "-" + columns[1] + "-\\d+")) {
                problems.add(columns[0] + ": not an id of section " + columns[1]);
            } else if (level.isEmpty()) {
                problems.add(columns[0] + ": " + columns[2] + " is no level");
            } else if (status.isEmpty()) {
                problems.add(columns[0] + ": \"" + columns[5] + "\" is no status");
            } else if (rules.containsKey(columns[0])) {
                problems.add(columns[0] + ": there are two rows");
            } else {
                rules.put(
                        columns[0],
                        new Rule(columns[0], level.get(), columns[3], columns[4], status.get()));
            }
        }
    }
}
