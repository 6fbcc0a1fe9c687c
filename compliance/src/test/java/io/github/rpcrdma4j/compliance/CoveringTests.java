package io.github.rpcrdma4j.compliance;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The test methods that cover each rule: they have a {@code @Tag("8166-4.5-1")} for it. {@code
 * -Dgroups=8166-4.5-1} runs the tests of a rule.
 */
final class CoveringTests {
    private static final Pattern TAG = Pattern.compile("^\\s*@Tag\\(\"([^\"]*)\"\\)$");
    private static final Pattern METHOD = Pattern.compile("^    [\\w<> ]*\\bvoid (\\w+)\\(");
    private static final Pattern OTHER_MEMBER = Pattern.compile("^    [^@ /*].*[({};]$|^ {0,4}}$");
    private static final Pattern TYPE =
            Pattern.compile("^[\\w ]*\\bclass (\\w+)(?: extends (\\w+))?");

    /** How lines inside of methods begin. */
    private static final String BODY = " ".repeat(8);

    /** A test method in the class that declares it. */
    record Method(String className, String name) implements Comparable<Method> {
        @Override
        public int compareTo(Method other) {
            return toString().compareTo(other.toString());
        }

        @Override
        public String toString() {
            return className + "." + name;
        }
    }

    private final Map<String, Set<Method>> covering = new TreeMap<>();
    private final Map<String, String> superclasses = new HashMap<>();
    private final List<String> problems = new ArrayList<>();

    /** Adds the tests of a source file in the layout of the formatter. */
    void scan(String className, String source) {
        var tags = new ArrayList<String>();
        for (var line : source.split("\n")) {
            // Most lines are none of these, and quickly told.
            if (line.startsWith(BODY) && !line.contains("void ") && !line.contains("@Tag(")) {
                continue;
            }
            var tag = TAG.matcher(line);
            var type = TYPE.matcher(line);
            var method = METHOD.matcher(line);
            if (tag.find()) {
                tags.add(tag.group(1));
            } else if (type.find() && type.group(1).equals(className)) {
                if (type.group(2) != null) {
                    superclasses.put(className, type.group(2));
                }
                if (!tags.isEmpty()) {
                    problems.add(className + ": a class covers no rules, its tests do");
                    tags.clear();
                }
            } else if (method.find()) {
                for (var id : tags) {
                    covering.computeIfAbsent(id, _ -> new TreeSet<>())
                            .add(new Method(className, method.group(1)));
                }
                tags.clear();
            } else if (OTHER_MEMBER.matcher(line).find()) {
                requireNone(className, tags);
            }
        }
        requireNone(className, tags);
    }

    private void requireNone(String className, List<String> tags) {
        if (!tags.isEmpty()) {
            problems.add(className + ": no test follows " + tags);
            tags.clear();
        }
    }

    /** Removes the tests of a class that were added. */
    void forget(String className) {
        covering.values()
                .forEach(
                        methods ->
                                methods.removeIf(method -> method.className().equals(className)));
        covering.values().removeIf(Set::isEmpty);
        superclasses.remove(className);
    }

    /** Returns all rules that tests claim to cover. */
    Set<String> ids() {
        return covering.keySet();
    }

    /** Returns the tests that cover a rule, in alphabetical order. */
    Set<Method> of(String id) {
        return covering.getOrDefault(id, Set.of());
    }

    /** Returns the problems of the tags. */
    List<String> problems() {
        return problems;
    }

    /** Returns whether a class is the one that declares a test, or inherits from it. */
    boolean inherits(String className, String declaring) {
        for (var at = className; at != null; at = superclasses.get(at)) {
            if (at.equals(declaring)) {
                return true;
            }
        }
        return false;
    }
}
