package io.github.rpcrdma4j.compliance;

import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Writes {@code docs/COMPLIANCE.md}: every rule, with the code that obeys it and its tests. */
final class CompliancePage {
    private static final String INTRODUCTION =
            """
            # Compliance

            What the documents ask for, in our words, and where it is obeyed. Generated from `specs/*.tsv`, from the citations in the code
            (`RFC 8166-4.5-1`) and from the tags of the tests (`@Tag("8166-4.5-1")`): the build fails if this page is not up to date, or if
            a rule that is implemented lacks a test that passed in that build, or a MUST, a SHOULD or a MAY lacks code that cites it.
            `./dev/test -Dcompliance.write` writes it, and `./dev/test -Dgroups=8166-4.5-1` runs the tests of one rule.

            The column "proof" says what the tests of a rule run. **endpoint**: a test starts the program that the rule is about, over RDMA:
            the server or the client of RPC-over-RDMA, the NFS server or the NFS client on one of these, or a queue pair of the iWARP
            provider. **gateway**: the tests run the gateway alone, though the rule is about another program. **component**: the tests run a
            part, such as a codec, a plan or a role of the engine. The build reads this from the byte code of the tests (ADR 0046), and fails if a
            rule that binds (MUST, MUST NOT, REQUIRED, DECIDED) has no endpoint.

            V2, XCH, RTR and RPR are drafts, named in [version-two.md](version-two.md). They have few key words: what they state is taken
            as a MUST, and what they leave open is DECIDED there.

            """;

    /** The subjects of the documents. */
    private static final Map<String, String> SUBJECTS =
            Map.ofEntries(
                    Map.entry("8166", "RPC-over-RDMA version 1"),
                    Map.entry("8797", "private data of connections"),
                    Map.entry("8167", "the reverse direction"),
                    Map.entry("5666", "RPC-over-RDMA version 1 as it was first"),
                    Map.entry("8267", "bindings of NFS"),
                    Map.entry("5667", "bindings of NFS as they were first"),
                    Map.entry("5040", "RDMAP"),
                    Map.entry("5041", "DDP"),
                    Map.entry("5044", "MPA"),
                    Map.entry("6581", "set-up of MPA connections"),
                    Map.entry("V2", "RPC-over-RDMA version 2, as drafted in 2016"),
                    Map.entry("XCH", "transport characteristics"),
                    Map.entry("RTR", "fewer round trips: continuation, placement by Sends"),
                    Map.entry("RPR", "responder-provided Read chunks"));

    private final Ledger ledger;
    private final Citations citations;
    private final CoveringTests tests;
    private final Proofs proofs;
    private final StringBuilder page = new StringBuilder(INTRODUCTION);

    private CompliancePage(Ledger ledger, Citations citations, CoveringTests tests, Proofs proofs) {
        this.ledger = ledger;
        this.citations = citations;
        this.tests = tests;
        this.proofs = proofs;
    }

    static String of(Ledger ledger, Citations citations, CoveringTests tests, Proofs proofs) {
        var page = new CompliancePage(ledger, citations, tests, proofs);
        var documents =
                ledger.rules().values().stream()
                        .collect(
                                Collectors.groupingBy(
                                        Rule::document, LinkedHashMap::new, Collectors.toList()));
        page.summary(documents);
        page.proofs(documents);
        page.open("Exceptions", rule -> rule.status() instanceof Rule.Status.Exception);
        page.open("Planned", rule -> rule.status() instanceof Rule.Status.Planned);
        documents.forEach(page::document);
        return page.page.toString();
    }

    private void summary(Map<String, List<Rule>> documents) {
        page.append(
                "Implemented, each with a test that passed, of all rules, exceptions and planned ones among them:\n\n");
        page.append(
                "| document | | MUST, REQUIRED, DECIDED | SHOULD | MAY, described | exceptions |\n");
        page.append("| --- | --- | --- | --- | --- | --- |\n");
        documents.forEach(
                (document, rules) ->
                        page.append(
                                "| %s | %s | %s | %s | %s | %s |\n"
                                        .formatted(
                                                Rule.title(document),
                                                SUBJECTS.getOrDefault(document, ""),
                                                share(rules, Rule.Level::isBinding),
                                                share(rules, Rule.Level::isAdvice),
                                                share(
                                                        rules,
                                                        level ->
                                                                !level.isBinding()
                                                                        && !level.isAdvice()),
                                                exceptions(rules))));
    }

    /** Returns the number of exceptions, and how many of these bind. */
    private static String exceptions(List<Rule> rules) {
        var exceptions =
                rules.stream().filter(rule -> rule.status() instanceof Rule.Status.Exception);
        var bind = exceptions.map(rule -> rule.level().isBinding()).toList();
        long binding = bind.stream().filter(each -> each).count();
        return binding == 0 ? "" + bind.size() : bind.size() + ", " + binding + " of them bind";
    }

    /** Shows how many implemented rules have which proof: those that bind, and the others. */
    private void proofs(Map<String, List<Rule>> documents) {
        page.append("\n## Proof\n\nThe implemented rules by their best proof:\n\n");
        page.append("| document | bind: endpoint | gateway | component |");
        page.append(" others: endpoint | gateway | component |\n");
        page.append("| --- | --- | --- | --- | --- | --- | --- |\n");
        documents.forEach((document, rules) -> proofs(Rule.title(document), rules));
        proofs("all", List.copyOf(ledger.rules().values()));
    }

    private void proofs(String title, List<Rule> rules) {
        page.append("| ").append(title).append(" |");
        for (boolean binds : new boolean[] {true, false}) {
            var counts =
                    proofs.count(
                            rules.stream()
                                    .filter(rule -> rule.level().isBinding() == binds)
                                    .toList(),
                            tests);
            for (var proof : Proof.values()) {
                page.append(' ').append(counts.getOrDefault(proof, 0L)).append(" |");
            }
        }
        page.append('\n');
    }

    private static String share(List<Rule> rules, Predicate<Rule.Level> levels) {
        var wanted =
                EnumSet.allOf(Rule.Level.class).stream().filter(levels).collect(Collectors.toSet());
        var counted = rules.stream().filter(rule -> wanted.contains(rule.level())).toList();
        long implemented = counted.stream().filter(Rule::isImplemented).count();
        return counted.isEmpty()
                ? "none"
                : "%d of %d, %d %%"
                        .formatted(implemented, counted.size(), 100 * implemented / counted.size());
    }

    private void open(String title, Predicate<Rule> wanted) {
        var rules = ledger.rules().values().stream().filter(wanted).toList();
        if (rules.isEmpty()) {
            return;
        }
        page.append("\n## ").append(title).append("\n\n");
        page.append("| rule | level | who | | |\n| --- | --- | --- | --- | --- |\n");
        for (var rule : rules) {
            var why =
                    switch (rule.status()) {
                        case Rule.Status.Exception(var reason) -> reason;
                        case Rule.Status.Planned(var feature, var today) ->
                                today.isEmpty() ? feature : feature + "; " + today;
                        case Rule.Status.Implemented() -> "";
                    };
            page.append(row(rule, rule.requirement(), why));
        }
    }

    private void document(String document, List<Rule> rules) {
        page.append("\n## ").append(Rule.title(document)).append("\n\n");
        page.append("| rule | level | who | | proof | code | tests |\n");
        page.append("| --- | --- | --- | --- | --- | --- | --- |\n");
        for (var rule : rules) {
            if (rule.isImplemented()) {
                page.append(row(rule, citations, tests, proofs));
            }
        }
    }

    /** Returns the row of an implemented rule. */
    static String row(Rule rule, Citations citations, CoveringTests tests, Proofs proofs) {
        return row(
                rule,
                rule.requirement(),
                proofs.of(rule, tests.of(rule.id())).word(),
                classNames(citations.of(rule.id())),
                names(tests.of(rule.id())));
    }

    /** Shows the number of citations in each class, so that a removed one changes the page. */
    private static String classNames(Map<String, Integer> classes) {
        return classes.entrySet().stream()
                .map(
                        each ->
                                each.getValue() == 1
                                        ? each.getKey()
                                        : each.getKey() + " ×" + each.getValue())
                .collect(Collectors.joining(", "));
    }

    private static String names(Set<CoveringTests.Method> methods) {
        return methods.stream().map(Object::toString).collect(Collectors.joining(", "));
    }

    private static String row(Rule rule, String... columns) {
        var row = new StringBuilder();
        row.append("| %s | %s | %s |".formatted(rule.id(), rule.level().words(), rule.who()));
        for (var column : columns) {
            row.append(' ').append(column.replace("|", "\\|")).append(" |");
        }
        return row.append('\n').toString();
    }
}
