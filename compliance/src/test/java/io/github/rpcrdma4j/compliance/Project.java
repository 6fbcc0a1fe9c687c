package io.github.rpcrdma4j.compliance;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The ledgers on disk, and the citations, tests and proofs of their rules. */
record Project(Ledger ledger, Citations citations, CoveringTests tests, Proofs proofs) {
    /** The features that are not built yet. Rules may be planned only for these. */
    private static final Set<String> PLANNED_FEATURES = Set.of();

    /**
     * The ledgers, as file names without suffix, by document. The documents of RPC-over-RDMA come
     * first, then its programs, then the layers below it.
     */
    static final Map<String, String> LEDGERS = new LinkedHashMap<>();

    static {
        for (var rfc :
                List.of(
                        "8166", "8797", "8167", "5666", "8267", "5667", "5040", "5041", "5044",
                        "6581")) {
            LEDGERS.put(rfc, "rfc" + rfc);
        }
        LEDGERS.put("V2", "rpcrdma-version2");
        LEDGERS.put("XCH", "characteristics");
        LEDGERS.put("RTR", "round-trips");
        LEDGERS.put("RPR", "reliable-reply");
    }

    static Project read() {
        var ledgers = new LinkedHashMap<String, List<String>>();
        LEDGERS.forEach(
                (document, name) -> {
                    var file = ProjectTree.ROOT.resolve("specs/" + name + ".tsv");
                    ledgers.put(document, ProjectTree.lines(file));
                });
        var citations = new Citations();
        ProjectTree.mainSources().forEach(file -> citations.scan(className(file), text(file)));
        var tests = new CoveringTests();
        testSources().forEach(file -> tests.scan(className(file), text(file)));
        return new Project(Ledger.of(ledgers), citations, tests, Proofs.read());
    }

    /** Returns the sources whose tags count. Those of this module only handle tags. */
    static List<Path> testSources() {
        return ProjectTree.sources().stream()
                .filter(file -> !file.startsWith(ProjectTree.ROOT.resolve("compliance")))
                .toList();
    }

    static String className(Path file) {
        return file.getFileName().toString().replaceFirst("\\.\\w+$", "");
    }

    static String text(Path file) {
        return String.join("\n", ProjectTree.lines(file));
    }

    Audit audit() {
        return new Audit(ledger, citations, tests, proofs, PLANNED_FEATURES);
    }

    /** Returns what {@link #page} has of an implemented rule. */
    String row(String id) {
        return CompliancePage.row(ledger.rules().get(id), citations, tests, proofs);
    }

    /** Returns the required content of {@code docs/COMPLIANCE.md}. */
    String page() {
        return CompliancePage.of(ledger, citations, tests, proofs);
    }
}
