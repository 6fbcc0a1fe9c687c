package io.github.rpcrdma4j.compliance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Goal: the project uses one word for one concept. Method: read the glossary, and search all files
 * for the words that it forbids.
 */
class GlossaryTest {
    private static final Path GLOSSARY = ProjectTree.ROOT.resolve("docs/GLOSSARY.md");
    private static final Path CHANGES = ProjectTree.ROOT.resolve("CHANGES.md");

    /** A row of the glossary: word, meaning, source, forbidden words. */
    private static final Pattern ROW =
            Pattern.compile("\\| ([^|]+) \\| ([^|]+) \\|([^|]*)\\|([^|]*)\\|");

    private static final Pattern QUOTED = Pattern.compile("`(\\w+)`");

    private static final List<String> ENDINGS = List.of(".java", ".md", ".tsv", ".xml");

    private record Entry(String word, String meaning, List<String> forbidden) {}

    private static List<Entry> entries() {
        return ProjectTree.lines(GLOSSARY).stream()
                .map(ROW::matcher)
                .filter(
                        row ->
                                row.matches()
                                        && !row.group(1).equals("word")
                                        && !row.group(1).equals("---"))
                .map(
                        row ->
                                new Entry(
                                        row.group(1),
                                        row.group(2),
                                        QUOTED.matcher(row.group(4))
                                                .results()
                                                .map(found -> found.group(1))
                                                .toList()))
                .toList();
    }

    @Test
    void everyWordHasOneRowAndAMeaning() {
        var words = entries().stream().map(Entry::word).toList();
        assertTrue(words.size() > 40, () -> "rows: " + words.size());
        assertEquals(words.size(), new TreeSet<>(words).size());
        assertTrue(entries().stream().noneMatch(entry -> entry.meaning().isBlank()));
    }

    @Test
    void noForbiddenWordIsUsedAnywhere() {
        var forbidden = entries().stream().flatMap(entry -> entry.forbidden().stream()).toList();
        assertTrue(forbidden.size() > 25, () -> "forbidden: " + forbidden.size());
        var pattern =
                Pattern.compile(
                        forbidden.stream()
                                .map(GlossaryTest::expression)
                                .collect(Collectors.joining("|")));
        var offences = new ArrayList<String>();
        for (var ending : ENDINGS) {
            for (var file : ProjectTree.find(ending)) {
                if (!file.equals(GLOSSARY)) {
                    offences.addAll(offences(file, pattern));
                }
            }
        }
        assertTrue(
                offences.isEmpty(),
                () -> "The glossary has another word:\n" + String.join("\n", offences));
    }

    /**
     * Returns an expression for a word. A type matches by its exact name, another word also with a
     * capital letter.
     */
    private static String expression(String word) {
        boolean isType = Character.isUpperCase(word.charAt(0));
        return (isType ? "\\b" : "(?i:\\b") + word + (isType ? "\\b" : "\\b)");
    }

    private static List<String> offences(Path file, Pattern forbidden) {
        var offences = new ArrayList<String>();
        int number = 0;
        for (var line : ProjectTree.lines(file)) {
            number++;
            var found = forbidden.matcher(line);
            // The table of changes maps old names to new ones.
            boolean listsOldNames = file.equals(CHANGES) && line.startsWith("|");
            if (!listsOldNames && found.find()) {
                offences.add(ProjectTree.name(file) + ":" + number + ": " + found.group());
            }
        }
        return offences;
    }
}
