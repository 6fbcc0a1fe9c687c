package io.github.rpcrdma4j.compliance;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
import org.junit.jupiter.api.Test;

/** Goal: the drawing of the architecture agrees with the sources. Method: read their imports. */
class DrawingTest {
    private static final String OURS = "io.github.rpcrdma4j.";
    private static final Pattern REQUIRES =
            Pattern.compile("requires (?:transitive )?io\\.github\\.rpcrdma4j\\.([\\w.]+);");
    private static final Pattern DEPENDENCY =
            Pattern.compile(
                    "<groupId>io\\.github\\.rpcrdma4j</groupId><artifactId>(.+?)</artifactId>");
    private static final Pattern MODULE =
            Pattern.compile("module io\\.github\\.rpcrdma4j\\.([\\w.]+) \\{");
    private static final Pattern PACKAGE =
            Pattern.compile("package io\\.github\\.rpcrdma4j\\.([\\w.]+);");
    private static final Pattern IMPORT =
            Pattern.compile("import (?:static )?io\\.github\\.rpcrdma4j\\.([a-z0-9.]+)\\.[A-Z].*");

    private final Drawing drawing = Drawing.read();

    /** The other packages that each package imports, by directory of the module. */
    private final Map<String, Map<String, Set<String>>> known = new TreeMap<>();

    DrawingTest() {
        for (var file : ProjectTree.mainSources()) {
            var directory = ProjectTree.ROOT.relativize(file).getName(0).toString();
            String name = null;
            for (var line : ProjectTree.lines(file)) {
                var declared = PACKAGE.matcher(line);
                var imported = IMPORT.matcher(line);
                if (declared.matches()) {
                    name = declared.group(1);
                    packages(directory).computeIfAbsent(name, _ -> new TreeSet<>());
                } else if (imported.matches() && !imported.group(1).equals(name)) {
                    packages(directory).get(name).add(imported.group(1));
                }
            }
        }
    }

    private Map<String, Set<String>> packages(String directory) {
        return known.computeIfAbsent(directory, _ -> new TreeMap<>());
    }

    private static Path descriptor(String directory) {
        return ProjectTree.ROOT.resolve(directory).resolve("src/main/java/module-info.java");
    }

    /** Returns the project's directories on the class path of a module without a descriptor. */
    private static Set<String> dependencies(String directory) throws IOException {
        var pom = Files.readString(ProjectTree.ROOT.resolve(directory).resolve("pom.xml"));
        var directories = new TreeSet<String>();
        var matcher = DEPENDENCY.matcher(pom);
        while (matcher.find()) {
            directories.add(matcher.group(1));
        }
        return directories;
    }

    /** Returns the package with the name of a module. */
    static String ofModule(String directory) throws IOException {
        if (!Files.exists(descriptor(directory))) {
            return directory;
        }
        var matcher = MODULE.matcher(Files.readString(descriptor(directory)));
        if (!matcher.find()) {
            throw new IllegalStateException(directory + " has a descriptor without a name");
        }
        return matcher.group(1);
    }

    @Test
    void hasEveryModuleAndEveryPackage() throws IOException {
        var drawn = new TreeSet<String>();
        for (var entry : drawing.modules().entrySet()) {
            for (var name : entry.getValue().packages()) {
                drawn.add(ofModule(entry.getKey()) + name);
            }
        }
        var found = new TreeSet<String>();
        for (var entry : known.entrySet()) {
            found.add(ofModule(entry.getKey()));
            found.addAll(entry.getValue().keySet());
        }
        found.add("compliance");
        assertEquals(lines(found), lines(drawn));
    }

    @Test
    void modulesRequireWhatTheDrawingSays() throws IOException {
        var drawn = new TreeMap<String, Set<String>>();
        var found = new TreeMap<String, Set<String>>();
        for (var entry : drawing.modules().entrySet()) {
            if (Files.exists(descriptor(entry.getKey()))) {
                var required = new TreeSet<String>();
                for (var directory : entry.getValue().requires()) {
                    required.add(ofModule(directory));
                }
                drawn.put(entry.getKey(), required);
                var requires = new TreeSet<String>();
                var matcher = REQUIRES.matcher(Files.readString(descriptor(entry.getKey())));
                while (matcher.find()) {
                    requires.add(matcher.group(1));
                }
                found.put(entry.getKey(), requires);
            }
        }
        assertEquals(found, drawn);
    }

    /** Goal: imports of packages have no cycles. */
    @Test
    void packagesKnowOnlyThoseThatStandAboveThem() throws IOException {
        var offences = new ArrayList<String>();
        int seen = 0;
        for (var entry : drawing.modules().entrySet()) {
            var module = ofModule(entry.getKey());
            var order = entry.getValue().packages().stream().map(name -> module + name).toList();
            for (var inside : known.getOrDefault(entry.getKey(), Map.of()).entrySet()) {
                for (var other : inside.getValue()) {
                    if (order.indexOf(other) > order.indexOf(inside.getKey())) {
                        offences.add(OURS + inside.getKey() + " knows " + other);
                    }
                    seen++;
                }
            }
        }
        assertEquals(List.of(), offences);
        assertEquals(true, seen > 100, "imports were found: " + seen);
    }

    @Test
    void theClassPathOfTheBenchmarkIsWhatTheDrawingSays() throws IOException {
        assertEquals(dependencies("bench"), drawing.modules().get("bench").requires());
    }

    @Test
    void modulesStandBelowThoseThatTheyRequire() {
        var order = List.copyOf(drawing.modules().keySet());
        var offences = new ArrayList<String>();
        drawing.modules()
                .forEach(
                        (directory, module) -> {
                            for (var required : module.requires()) {
                                if (order.indexOf(required) > order.indexOf(directory)) {
                                    offences.add(directory + " requires " + required);
                                }
                            }
                        });
        assertEquals(List.of(), offences);
    }

    private static String lines(Set<String> names) {
        return String.join("\n", names);
    }
}
