package io.github.rpcrdma4j.cli.pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: patterns match names as those of shells and rsync do, in time that has a bound. */
class NamePatternTest {
    private record Row(String pattern, List<String> match, List<String> differ) {}

    private static final List<Row> TABLE =
            List.of(
                    new Row("a", List.of("a"), List.of("", "b", "aa", "A")),
                    new Row("*", List.of("", "a", ".a", "*"), List.of("/", "a/b")),
                    new Row("*.c", List.of("a.c", ".c"), List.of("a.cc", "d/a.c")),
                    new Row("a*b*c", List.of("abc", "aXbYc", "abbcc"), List.of("ab", "acb")),
                    new Row("?", List.of("a", "\u00e9", "\udce9"), List.of("", "/", "ab")),
                    new Row("**", List.of("", "a", "a/b", "/"), List.of()),
                    new Row("a/**/b", List.of("a/x/b", "a/x/y/b", "a//b"), List.of("a/b", "ab")),
                    new Row("**/b", List.of("/b", "a/b", "a/c/b"), List.of("b", "a/bb")),
                    new Row("[a-c]?", List.of("a1", "b1", "c1"), List.of("d1", "a", "-1")),
                    new Row("[!a-c]", List.of("d", "-", "!"), List.of("a", "c", "/", "")),
                    new Row("[^a]", List.of("b", "^"), List.of("a")),
                    new Row("[]a]", List.of("]", "a"), List.of("b")),
                    new Row("[!]a]", List.of("b"), List.of("]", "a")),
                    new Row("[a-]", List.of("a", "-"), List.of("b")),
                    new Row("[-a]", List.of("a", "-"), List.of("b")),
                    new Row("[a-c-e]", List.of("a", "b", "-", "e"), List.of("d")),
                    new Row("[\\]x]", List.of("]", "x"), List.of("\\")),
                    new Row("[\\a-\\c]", List.of("a", "b", "c"), List.of("\\", "d")),
                    new Row("[[:digit:]x]", List.of("0", "9", "x"), List.of(":", "d", "a")),
                    new Row("[[:alpha:][:space:]]", List.of("q", "Q", " "), List.of("1", "\u00e9")),
                    new Row("[[:upper:]-]", List.of("Q", "-"), List.of("q")),
                    new Row("[[:]", List.of("[", ":"), List.of("a")),
                    new Row("{a,b}", List.of("{a,b}"), List.of("a", "b")),
                    new Row("\\*?", List.of("*a"), List.of("aa", "\\a")),
                    new Row("\\?*", List.of("?", "?x"), List.of("a", "\\?")),
                    new Row("a\\b", List.of("a\\b"), List.of("ab")),
                    new Row("a\\b*", List.of("ab", "abc"), List.of("a\\b")),
                    new Row("a?b", List.of("a\udce9b", "a\ud83d\ude00b", "a\nb"), List.of("ab")));

    @Test
    void matchesAsInTheTable() {
        for (var row : TABLE) {
            var pattern = NamePattern.parse(row.pattern);
            row.match.forEach(each -> assertTrue(pattern.matches(each), row.pattern + " " + each));
            row.differ.forEach(
                    each -> assertFalse(pattern.matches(each), row.pattern + " " + each));
        }
    }

    @Test
    void matchesBytesThatAreNoCharacters() {
        assertTrue(
                NamePattern.parse("a?b").matches(new FileName(new byte[] {'a', (byte) 0xe9, 'b'})));
        assertTrue(NamePattern.parse("a\udce9*").matches(new FileName(new byte[] {'a', -23})));
    }

    @Test
    void refusesMalformedPatternsInOneLine() {
        assertEquals("a pattern is not empty", refused(""));
        for (var wrong : List.of("[", "[a", "[]", "[!]", "[[:digit:]", "*[a\\]")) {
            assertEquals(
                    "the pattern " + wrong + " is malformed: no ] ends what [ begins",
                    refused(wrong));
        }
        assertEquals(
                "the pattern *\\ is malformed: a character has to follow the backslash",
                refused("*\\"));
        assertEquals(
                "the pattern [[:digits:]] is malformed: there is no class of characters digits",
                refused("[[:digits:]]"));
    }

    private static String refused(String pattern) {
        return assertThrows(
                        IllegalArgumentException.class, () -> NamePattern.parse(pattern), pattern)
                .getMessage();
    }

    @Test
    void needsNoMoreTimeForManyStars() {
        // A matcher that tries again and again would need more than the age of the world.
        assertFalse(NamePattern.parse("*a".repeat(100) + "b").matches("a".repeat(250)));
        assertTrue(NamePattern.parse("*a".repeat(100)).matches("a".repeat(250)));
    }
}
