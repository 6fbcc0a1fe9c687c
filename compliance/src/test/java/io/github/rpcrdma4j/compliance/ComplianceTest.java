package io.github.rpcrdma4j.compliance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Goal: every rule of the ledgers is obeyed where somebody can find it, and proved by a test that
 * passed. Method: read the ledgers, the code, the tests, and the reports of this very build.
 */
class ComplianceTest {
    /** What is still to be built: rules that wait for it may be planned, and for nothing else. */
    private static final Set<String> PLANNED_FEATURES =
            Set.of("NFSv4", "rpcbind registration", "version 2 endpoints");

    /** Ledgers, without the ending of their files, by document. */
    private static final Map<String, String> LEDGERS = new LinkedHashMap<>();

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

    private static final Path PAGE = ProjectTree.ROOT.resolve("docs/COMPLIANCE.md");
    private static final Pattern MODULE = Pattern.compile("<module>([\\w-]+)</module>");

    private final Ledger ledger = Ledger.of(ledgers());
    private final Citations citations = new Citations();
    private final CoveringTests tests = new CoveringTests();

    ComplianceTest() {
        ProjectTree.mainSources().forEach(file -> citations.scan(name(file), text(file)));
        ProjectTree.sources().stream()
                .filter(file -> !file.startsWith(ProjectTree.ROOT.resolve("compliance")))
                .forEach(file -> tests.scan(name(file), text(file)));
    }

    /** What the product is about comes first, then the programs on it, then what is below. */
    private static Map<String, List<String>> ledgers() {
        var ledgers = new LinkedHashMap<String, List<String>>();
        LEDGERS.forEach(
                (document, name) -> {
                    var file = ProjectTree.ROOT.resolve("specs/" + name + ".tsv");
                    ledgers.put(document, ProjectTree.lines(file));
                });
        return ledgers;
    }

    private static String name(Path file) {
        return file.getFileName().toString().replaceFirst("\\.\\w+$", "");
    }

    private static String text(Path file) {
        return String.join("\n", ProjectTree.lines(file));
    }

    private static void requireNone(List<String> problems) {
        assertTrue(problems.isEmpty(), () -> "\n" + String.join("\n", problems));
    }

    @Test
    void everyRuleThatIsObeyedIsCitedAndCovered() {
        assertTrue(ledger.rules().size() > 400, "the ledgers were found");
        requireNone(audit().problems());
    }

    private Audit audit() {
        return new Audit(ledger, citations, tests, PLANNED_FEATURES);
    }

    @Test
    void everyLedgerIsRead() {
        var read = LEDGERS.values().stream().map(name -> name + ".tsv").sorted().toList();
        var files = ProjectTree.find(".tsv").stream().map(file -> file.getFileName().toString());
        assertEquals(read, files.sorted().toList());
    }

    @Test
    void thePageSaysWhatTheCodeSays() throws IOException {
        var page = CompliancePage.of(ledger, citations, tests);
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
        requireNone(audit().problems(results));
    }

    /** The modules with tests, but for this one, whose tests are still running. */
    private static List<String> testedModules() {
        return MODULE.matcher(text(ProjectTree.ROOT.resolve("pom.xml")))
                .results()
                .map(found -> found.group(1))
                .filter(module -> !module.equals("compliance"))
                .filter(module -> Files.exists(ProjectTree.ROOT.resolve(module + "/src/test/java")))
                .toList();
    }

    private static List<Path> reports(String module) {
        var folder = ProjectTree.ROOT.resolve(module).resolve("target/surefire-reports");
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (var files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().endsWith(".xml")).toList();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
