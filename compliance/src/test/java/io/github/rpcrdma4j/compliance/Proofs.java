package io.github.rpcrdma4j.compliance;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the tests of each rule run. */
record Proofs(TestCode code) {
    static Proofs read() {
        return new Proofs(TestCode.read());
    }

    /** Returns what one test proves of a rule. If several classes inherit it, the best counts. */
    Proof of(Rule rule, CoveringTests.Method test) {
        return code.started(test).stream()
                .map(started -> Proof.of(rule, started))
                .min(Proof::compareTo)
                .orElse(Proof.COMPONENT);
    }

    /** Returns the best proof of a rule. */
    Proof of(Rule rule, Set<CoveringTests.Method> tests) {
        return tests.stream()
                .map(test -> of(rule, test))
                .min(Proof::compareTo)
                .orElse(Proof.COMPONENT);
    }

    /** Returns the problems of the rules that bind: each needs an endpoint. */
    List<String> problems(Ledger ledger, CoveringTests tests) {
        var problems = new ArrayList<String>();
        for (var rule : ledger.rules().values()) {
            if (rule.level().isBinding() && rule.isImplemented()) {
                var proof = of(rule, tests.of(rule.id()));
                if (proof != Proof.ENDPOINT) {
                    problems.add(
                            "%s binds the %s, and no test of it starts that program over RDMA: %s"
                                    .formatted(rule.id(), rule.who(), proof.word()));
                }
            }
        }
        return problems;
    }

    /** Returns the number of rules for each proof. */
    Map<Proof, Long> count(List<Rule> rules, CoveringTests tests) {
        var counts = new HashMap<Proof, Long>();
        for (var rule : rules) {
            if (rule.isImplemented()) {
                counts.merge(of(rule, tests.of(rule.id())), 1L, Long::sum);
            }
        }
        return counts;
    }
}
