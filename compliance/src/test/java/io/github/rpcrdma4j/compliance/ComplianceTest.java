package io.github.rpcrdma4j.compliance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: for every rule of the ledgers, a citation shows the code that obeys it, and a passed test
 * proves it. Method: read the ledgers, the code, the tests, and the test reports of this build.
 */
class ComplianceTest {
    private static final Path PAGE = ProjectTree.ROOT.resolve("docs/COMPLIANCE.md");
    private static final Pattern MODULE = Pattern.compile("<module>([\\w-]+)</module>");

    private static final Project PROJECT = Project.read();

    private static void requireNone(List<String> problems) {
        assertTrue(problems.isEmpty(), () -> "\n" + String.join("\n", problems));
    }

    @Test
    void everyRuleThatIsObeyedIsCitedAndCovered() {
        assertTrue(PROJECT.ledger().rules().size() > 400, "the ledgers were found");
        requireNone(PROJECT.audit().problems());
    }

    /**
     * The documents of version 1 bind as a whole, so none of their rules may be planned for later.
     */
    @ParameterizedTest
    @ValueSource(strings = {"8166", "8797", "8167", "5666"})
    void versionOneIsObeyedOrExcused(String document) {
        var rules =
                PROJECT.ledger().rules().values().stream()
                        .filter(rule -> rule.document().equals(document))
                        .toList();
        requireNone(
                rules.stream()
                        .filter(rule -> rule.status() instanceof Rule.Status.Planned)
                        .map(Rule::id)
                        .toList());
        var advice = rules.stream().filter(rule -> rule.level().isAdvice()).toList();
        long obeyed = advice.stream().filter(Rule::isImplemented).count();
        assertTrue(obeyed >= 0.95 * advice.size(), () -> obeyed + " of " + advice.size());
    }

    @Test
    void everyLedgerIsRead() {
        var read = Project.LEDGERS.values().stream().map(name -> name + ".tsv").sorted().toList();
        var files = ProjectTree.find(".tsv").stream().map(file -> file.getFileName().toString());
        assertEquals(read, files.sorted().toList());
    }

    @Test
    void thePageSaysWhatTheCodeSays() throws IOException {
        var page = PROJECT.page();
        if (System.getProperty("compliance.write") != null) {
            Files.writeString(PAGE, page);
        }
        var written = Files.exists(PAGE) ? Files.readString(PAGE) : "";
        var wanted = page.lines().filter(line -> !written.contains(line + "\n")).toList();
        assertTrue(
                page.equals(written),
                () ->
                        "docs/COMPLIANCE.md is not up to date: ./dev/test -Dcompliance.write writes it\n"
                                + String.join("\n", wanted));
    }

    @Test
    void everyCoveringTestPassed() throws IOException {
        for (var filter : List.of("test", "groups", "excludedGroups")) {
            assumeTrue(System.getProperty(filter) == null, "only chosen tests ran: -D" + filter);
        }
        var start = Instant.parse(System.getProperty("build.start"));
        var results = new TestResults();
        for (var module : testedModules()) {
            boolean found = false;
            for (var report : reports(module)) {
                if (!Files.getLastModifiedTime(report).toInstant().isBefore(start)) {
                    found = true;
                    try (var in = Files.newInputStream(report)) {
                        results.read(in);
                    }
                }
            }
            assumeTrue(found, "this build did not test " + module);
        }
        requireNone(PROJECT.audit().problems(results));
    }

    /** Returns the modules with tests, except for this one, whose tests are still running. */
    private static List<String> testedModules() {
        return MODULE.matcher(Project.text(ProjectTree.ROOT.resolve("pom.xml")))
                .results()
                .map(found -> found.group(1))
                .filter(module -> !module.equals("compliance"))
                .filter(module -> Files.exists(ProjectTree.ROOT.resolve(module + "/src/test/java")))
                .toList();
    }

    private static List<Path> reports(String module) {
        var directory = ProjectTree.ROOT.resolve(module).resolve("target/surefire-reports");
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (var files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().endsWith(".xml")).toList();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
