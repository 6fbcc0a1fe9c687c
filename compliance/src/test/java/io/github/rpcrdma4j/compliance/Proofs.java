package io.github.rpcrdma4j.compliance;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the tests of each rule run.
 *
 * @param componentAlone the rules that bind and have no test of the program that they are about:
 *     the lines of {@code specs/component-alone.txt}. The list may only become shorter.
 */
record Proofs(TestCode code, Set<String> componentAlone) {
    private static final String LIST = "specs/component-alone.txt";

    static Proofs read() {
        var list = ProjectTree.lines(ProjectTree.ROOT.resolve(LIST));
        return new Proofs(TestCode.read(), new TreeSet<>(list));
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

    /** Returns the problems of the rules that bind, and of the list of those without endpoint. */
    List<String> problems(Ledger ledger, CoveringTests tests) {
        var problems = new ArrayList<String>();
        for (var rule : ledger.rules().values()) {
            if (rule.level().isBinding() && rule.isImplemented()) {
                var proof = of(rule, tests.of(rule.id()));
                boolean isListed = componentAlone.contains(rule.id());
                if (proof != Proof.ENDPOINT && !isListed) {
                    problems.add(
                            "%s binds the %s, and no test of it starts that program over RDMA: %s"
                                    .formatted(rule.id(), rule.who(), proof.word()));
                } else if (proof == Proof.ENDPOINT && isListed) {
                    problems.add(rule.id() + " is proved on an endpoint: strike it from " + LIST);
                }
            } else if (componentAlone.contains(rule.id())) {
                problems.add(rule.id() + " does not bind: strike it from " + LIST);
            }
        }
        for (var id : componentAlone) {
            if (!ledger.rules().containsKey(id)) {
                problems.add(LIST + " has " + id + ", which no ledger has");
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
