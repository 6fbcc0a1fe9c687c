package io.github.rpcrdma4j.compliance;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Compares code and tests with the ledger. */
final class Audit {
    private final Ledger ledger;
    private final Citations citations;
    private final CoveringTests tests;
    private final Proofs proofs;

    /** The features that rules may be planned for. */
    private final Set<String> features;

    Audit(
            Ledger ledger,
            Citations citations,
            CoveringTests tests,
            Proofs proofs,
            Set<String> features) {
        this.ledger = ledger;
        this.citations = citations;
        this.tests = tests;
        this.proofs = proofs;
        this.features = features;
    }

    /** Returns the problems that are visible without a test run. */
    List<String> problems() {
        var problems = new ArrayList<>(ledger.problems());
        problems.addAll(tests.problems());
        for (var id : citations.ids()) {
            if (!ledger.rules().containsKey(id)) {
                problems.add(citations.of(id).keySet() + " cite " + id + ", which no ledger has");
            }
        }
        for (var id : tests.ids()) {
            if (!ledger.rules().containsKey(id)) {
                problems.add(tests.of(id) + " cover " + id + ", which no ledger has");
            }
        }
        ledger.rules().values().forEach(rule -> problems.addAll(problems(rule)));
        problems.addAll(proofs.problems(ledger, tests));
        for (var feature : features) {
            if (ledger.rules().values().stream().noneMatch(rule -> rule.waitsFor(feature))) {
                problems.add("no rule waits for \"" + feature + "\": it is planned no more");
            }
        }
        return problems;
    }

    /** Returns what is wrong with the citations and the tests of a rule. */
    List<String> problems(Rule rule) {
        var problems = new ArrayList<String>();
        switch (rule.status()) {
            case Rule.Status.Implemented() -> {
                if (rule.level().needsCitation() && citations.of(rule.id()).isEmpty()) {
                    problems.add(rule.id() + " is implemented, but no code cites it");
                }
                if (tests.of(rule.id()).isEmpty()) {
                    problems.add(rule.id() + " is implemented, but no test covers it");
                }
            }
            case Rule.Status.Exception _ -> {
                if (!tests.of(rule.id()).isEmpty()) {
                    problems.add(rule.id() + " is an exception, but tests cover it");
                }
            }
            case Rule.Status.Planned(var feature, _) -> {
                if (!features.contains(feature)) {
                    problems.add(rule.id() + " is planned for \"" + feature + "\", which is not");
                }
                for (var test : tests.of(rule.id())) {
                    if (proofs.of(rule, test) != Proof.GATEWAY_ALONE) {
                        problems.add(rule.id() + " is planned, but " + test + " covers it");
                    }
                }
            }
        }
        return problems;
    }

    /**
     * Returns the problems of a test run. Every covering test has to run, and none may fail. At
     * least one test of each implemented rule has to pass, and it has to be one of an endpoint if
     * the rule has any; the others may be skipped where they cannot run.
     */
    List<String> problems(TestResults results) {
        var problems = new ArrayList<String>();
        for (var rule : ledger.rules().values()) {
            boolean passed = false;
            var best = proofs.of(rule, tests.of(rule.id()));
            for (var test : tests.of(rule.id())) {
                switch (results.of(test, tests).orElse(null)) {
                    case null ->
                            problems.add(
                                    rule.id() + " is covered by " + test + ", which did not run");
                    case FAILED ->
                            problems.add(rule.id() + " is covered by " + test + ", which failed");
                    case PASSED -> passed |= proofs.of(rule, test) == best;
                    case SKIPPED -> {}
                }
            }
            if (rule.isImplemented() && !passed) {
                problems.add(
                        "%s is implemented, but no test of its %s passed"
                                .formatted(rule.id(), best.word()));
            }
        }
        return problems;
    }
}
