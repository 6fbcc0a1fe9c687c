package io.github.rpcrdma4j.cli.pattern;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.IntPredicate;

/**
 * The characters between the brackets of a pattern: {@code a-z}, {@code !x}, {@code [:digit:]}.
 * Immutable.
 *
 * @param isNegated whether all other characters are meant
 */
record CharacterSet(boolean isNegated, List<IntPredicate> parts) {
    /** A class of characters that has a name (POSIX, XBD 7.3.1), for ASCII. */
    private enum Kind {
        ALNUM("[A-Za-z0-9]"),
        ALPHA("[A-Za-z]"),
        BLANK("[ \t]"),
        CNTRL("\\p{Cntrl}"),
        DIGIT("[0-9]"),
        GRAPH("\\p{Graph}"),
        LOWER("[a-z]"),
        PRINT("\\p{Print}"),
        PUNCT("\\p{Punct}"),
        SPACE("[ \t\n\u000b\f\r]"),
        UPPER("[A-Z]"),
        XDIGIT("[0-9A-Fa-f]");

        private final String expression;

        Kind(String expression) {
            this.expression = expression;
        }

        static Optional<Kind> of(String name) {
            for (var each : values()) {
                if (each.name().toLowerCase(Locale.ROOT).equals(name)) {
                    return Optional.of(each);
                }
            }
            return Optional.empty();
        }

        boolean contains(int character) {
            return Character.toString(character).matches(expression);
        }
    }

    CharacterSet {
        parts = List.copyOf(parts);
    }

    /** Returns whether a character is meant. */
    boolean contains(int character) {
        return parts.stream().anyMatch(each -> each.test(character)) != isNegated;
    }

    /**
     * Returns where the bracket is that ends a set, or empty if there is none.
     *
     * @param at where the set starts, behind its bracket
     */
    static OptionalInt end(int[] pattern, int at) {
        int from = at;
        if (from < pattern.length && isNegation(pattern[from])) {
            from++;
        }
        for (int i = from; i < pattern.length; i++) {
            int name = endOfName(pattern, i);
            if (name > 0) {
                i = name;
            } else if (pattern[i] == '\\') {
                i++;
            } else if (pattern[i] == ']' && i > from) {
                return OptionalInt.of(i);
            }
        }
        return OptionalInt.empty();
    }

    private static boolean isNegation(int character) {
        return character == '!' || character == '^';
    }

    /** Returns where the last bracket of {@code [:name:]} is; 0 if there is no such name. */
    private static int endOfName(int[] pattern, int at) {
        if (pattern[at] != '[' || at + 1 >= pattern.length || pattern[at + 1] != ':') {
            return 0;
        }
        for (int i = at + 2; i < pattern.length; i++) {
            if (pattern[i] == ']') {
                return pattern[i - 1] == ':' && i - 1 > at + 1 ? i : 0;
            }
        }
        return 0;
    }

    /**
     * Parses a set.
     *
     * @param at where it starts, behind its bracket
     * @param end where the bracket is that ends it
     * @param text of the whole pattern, for messages
     * @throws IllegalArgumentException if it is malformed
     */
    static CharacterSet parse(int[] pattern, int at, int end, String text) {
        boolean isNegated = isNegation(pattern[at]);
        var parts = new ArrayList<IntPredicate>();
        int i = isNegated ? at + 1 : at;
        while (i < end) {
            int name = endOfName(pattern, i);
            if (name > 0) {
                var word = new String(pattern, i + 2, name - i - 3);
                var kind =
                        Kind.of(word)
                                .orElseThrow(
                                        () ->
                                                NamePattern.malformed(
                                                        text,
                                                        "there is no class of characters " + word));
                parts.add(kind::contains);
                i = name + 1;
                continue;
            }
            i += pattern[i] == '\\' ? 1 : 0;
            int first = pattern[i++];
            if (i + 1 < end && pattern[i] == '-') {
                i += pattern[i + 1] == '\\' && i + 2 < end ? 2 : 1;
                int last = pattern[i++];
                parts.add(character -> first <= character && character <= last);
            } else {
                parts.add(character -> character == first);
            }
        }
        return new CharacterSet(isNegated, parts);
    }
}
