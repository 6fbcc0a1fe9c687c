package io.github.rpcrdma4j.compliance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
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

    /** A row of the glossary: word, meaning, source, forbidden words. */
    private static final Pattern ROW =
            Pattern.compile("\\| ([^|]+) \\| ([^|]+) \\|([^|]*)\\|([^|]*)\\|");

    private static final Pattern QUOTED = Pattern.compile("`(\\w+)`");
    private static final Pattern NO_LETTER = Pattern.compile("\\W+");

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
        var types = forbidden.stream().filter(GlossaryTest::isType).collect(Collectors.toSet());
        var words = new HashSet<>(forbidden);
        words.removeAll(types);
        var offences = new ArrayList<String>();
        for (var ending : ENDINGS) {
            for (var file : ProjectTree.find(ending)) {
                if (!file.equals(GLOSSARY)) {
                    offences.addAll(offences(file, types, words));
                }
            }
        }
        assertTrue(
                offences.isEmpty(),
                () -> "The glossary has another word:\n" + String.join("\n", offences));
    }

    private static boolean isType(String word) {
        return Character.isUpperCase(word.charAt(0));
    }

    /**
     * Finds forbidden words in a file.
     *
     * @param types names that are forbidden as they are
     * @param words words that are forbidden with capital letters, too
     */
    private static List<String> offences(Path file, Set<String> types, Set<String> words) {
        var offences = new ArrayList<String>();
        int number = 0;
        for (var line : ProjectTree.lines(file)) {
            number++;
            for (var word : NO_LETTER.split(line)) {
                if (types.contains(word) || words.contains(word.toLowerCase(Locale.ROOT))) {
                    offences.add(ProjectTree.name(file) + ":" + number + ": " + word);
                }
            }
        }
        return offences;
    }
}
