package io.github.rpcrdma4j.compliance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Goal: a package is small enough to be known. Method: the class files of all modules. What is
 * larger is listed with its size, which may only shrink.
 */
class RoomsTest {
    private static final int PACKAGE_MAX = 65;
    private static final int CIRCLE_MAX = 12;
    private static final int LONG_CLASS = 150;
    private static final Pattern NAMED_TESTS =
            Pattern.compile("Tests: ((?:\\{@code [\\w/]+\\}(?:, )?)+)\\.");
    private static final String OURS = "io.github.rpcrdma4j.";

    /**
     * Each has a reason: in the state a client has opens, and an open has a client. A store has
     * nodes and threads, which need the store. A sealed interface names its records, which name it.
     * A domain of an adapter has queue pairs and memory, which have the domain.
     */
    private static final Map<String, Integer> LARGE_CIRCLES =
            Map.of(
                    "nfs.state",
                    26,
                    "nfs.directories.linux",
                    31,
                    "nfs.v4.operation",
                    23,
                    "rdmacore",
                    14);

    /** A class of tests that looks into a call as the responder alone may. */
    private static final Map<String, Integer> GUESTS =
            Map.of("rpc-rdma-5666 in rpcrdma.responder", 1);

    private static List<String> modules() throws IOException {
        try (var directories = Files.list(ProjectTree.ROOT)) {
            return directories
                    .filter(each -> Files.isDirectory(each.resolve("src/main/java")))
                    .map(each -> each.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    private static Path classes(String module, String part) {
        return ProjectTree.ROOT.resolve(module).resolve("target").resolve(part);
    }

    private static String shortened(String name) {
        return name.startsWith(OURS) ? name.substring(OURS.length()) : name;
    }

    @Test
    void noPackageHasTooManyClasses() throws IOException {
        var found = new TreeMap<String, Integer>();
        for (var module : modules()) {
            ClassGraph.read(classes(module, "classes"))
                    .packages()
                    .forEach((name, types) -> found.put(shortened(name), types.size()));
        }
        assertTrue(found.size() > 100, found::toString);
        found.values().removeIf(size -> size <= PACKAGE_MAX);
        assertEquals(Map.of(), found);
    }

    @Test
    void noCircleOfClassesIsTooLarge() throws IOException {
        var found = new TreeMap<String, Integer>();
        for (var module : modules()) {
            var graph = ClassGraph.read(classes(module, "classes"));
            graph.packages()
                    .forEach(
                            (name, types) ->
                                    found.put(shortened(name), graph.largestCircle(types).size()));
        }
        found.values().removeIf(size -> size <= CIRCLE_MAX);
        assertEquals(new TreeMap<>(LARGE_CIRCLES), found);
    }

    @Test
    void testsLieInPackagesOfTheirModule() throws IOException {
        Map<String, Set<String>> owners = new TreeMap<>();
        for (var module : modules()) {
            for (var name : ClassGraph.read(classes(module, "classes")).packages().keySet()) {
                owners.computeIfAbsent(name, _ -> new TreeSet<>()).add(module);
            }
        }
        var found = new TreeMap<String, Integer>();
        for (var module : modules()) {
            ClassGraph.read(classes(module, "test-classes"))
                    .packages()
                    .forEach(
                            (name, types) -> {
                                if (!owners.getOrDefault(name, Set.of(module)).contains(module)) {
                                    found.put(module + " in " + shortened(name), types.size());
                                }
                            });
        }
        assertEquals(new TreeMap<>(GUESTS), found);
    }

    /** Contracts are tests themselves. */
    @Test
    void aLongClassHasATestOfItsNameOrNamesOne() {
        var tests =
                ProjectTree.find(".java").stream()
                        .filter(each -> ProjectTree.name(each).contains("/src/test/"))
                        .map(RoomsTest::className)
                        .collect(Collectors.toSet());
        var offences = new ArrayList<String>();
        int seen = 0;
        for (var file : ProjectTree.mainSources()) {
            var lines = ProjectTree.lines(file);
            var name = className(file);
            if (lines.size() < LONG_CLASS || ProjectTree.name(file).contains("-contract/")) {
                continue;
            }
            seen++;
            if (!tests.contains(name + "Test") && !namesTest(lines, tests)) {
                offences.add(ProjectTree.name(file));
            }
        }
        assertEquals(List.of(), offences);
        assertTrue(seen > 400, "long classes were found: " + seen);
    }

    /**
     * Returns whether all that the line with the word "Tests:" names is there, and something is.
     */
    private static boolean namesTest(List<String> lines, Set<String> tests) {
        var words = NAMED_TESTS.matcher(String.join(" ", lines).replaceAll("\\s+\\* ", " "));
        return words.find()
                && Stream.of(words.group(1).split("[^\\w/]+(?:code )?"))
                        .filter(each -> !each.isEmpty())
                        .allMatch(each -> tests.contains(each) || isScript(each));
    }

    private static boolean isScript(String name) {
        return name.contains("/") && Files.isExecutable(ProjectTree.ROOT.resolve(name));
    }

    private static String className(Path file) {
        return file.getFileName().toString().replace(".java", "");
    }

    @Test
    void aCircleIsWhatLeadsBack() {
        var graph =
                new ClassGraph(
                        Map.of(
                                "a", Set.of("b", "x"),
                                "b", Set.of("c"),
                                "c", Set.of("a", "d"),
                                "d", Set.of("e"),
                                "e", Set.of("d"),
                                "f", Set.of("a", "f")));
        var all = graph.references().keySet();
        assertEquals(Set.of("a", "b", "c"), graph.largestCircle(all));
        assertEquals(
                Set.of("d", "e"),
                graph.largestCircle(
                        all.stream()
                                .filter(each -> !each.equals("b"))
                                .collect(Collectors.toSet())));
        assertEquals(Set.of(), graph.largestCircle(List.of("b")));
    }
}
