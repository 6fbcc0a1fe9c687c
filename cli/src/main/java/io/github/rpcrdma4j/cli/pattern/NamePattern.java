package io.github.rpcrdma4j.cli.pattern;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.RawText;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A pattern of names, as shells and {@code rsync} have them: {@code *} for any characters but a
 * slash, {@code **} for any characters, {@code ?} for one, and {@code [a-z]}, {@code [!a-z]} or
 * {@code [[:digit:]]} for one of a set. A backslash takes their meaning away, if the pattern has
 * one of {@code * ? [} at all. Braces have no meaning. Names are bytes; a byte that is no character
 * matches like a character. Immutable.
 */
public final class NamePattern {
    /** A character that may stand for others. URLs that are printed have none of these. */
    private static final Pattern WILDCARD = Pattern.compile("[*?\\[]");

    private static final Pattern ESCAPED = Pattern.compile("\\\\(.)", Pattern.DOTALL);

    /** One step of a match. */
    private sealed interface Step {
        /** A character of its own. */
        record Same(int character) implements Step {}

        /** One character, but not a slash. */
        record Any() implements Step {}

        /** One of a set of characters, but not a slash. */
        record OneOf(CharacterSet set) implements Step {}

        /**
         * Any characters, also none.
         *
         * @param crosses whether slashes are among them
         */
        record Several(boolean crosses) implements Step {}
    }

    private final List<Step> steps;

    private NamePattern(List<Step> steps) {
        this.steps = steps;
    }

    /**
     * Parses a pattern.
     *
     * @param text as {@link RawText}
     * @throws IllegalArgumentException if it is malformed; the message tells a user why
     */
    public static NamePattern parse(String text) {
        return parse(text, false);
    }

    /**
     * Parses a pattern as a shell does: a bracket that nothing closes stands for itself.
     *
     * @param text as {@link RawText}
     * @throws IllegalArgumentException if it is malformed; the message tells a user why
     */
    public static NamePattern parseShell(String text) {
        return parse(text, true);
    }

    private static NamePattern parse(String text, boolean takesOpen) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("a pattern is not empty");
        }
        var characters = text.codePoints().toArray();
        boolean isText = !mayBePattern(text);
        var steps = new ArrayList<Step>();
        for (int at = 0; at < characters.length; ) {
            int each = characters[at++];
            if (isText) {
                steps.add(new Step.Same(each));
                continue;
            }
            switch (each) {
                case '*' -> {
                    int from = at;
                    while (at < characters.length && characters[at] == '*') {
                        at++;
                    }
                    steps.add(new Step.Several(at > from));
                }
                case '?' -> steps.add(new Step.Any());
                case '[' -> {
                    var end = CharacterSet.end(characters, at);
                    if (end.isPresent()) {
                        var set = CharacterSet.parse(characters, at, end.getAsInt(), text);
                        steps.add(new Step.OneOf(set));
                        at = end.getAsInt() + 1;
                    } else if (takesOpen) {
                        steps.add(new Step.Same(each));
                    } else {
                        throw malformed(text, "no ] ends what [ begins");
                    }
                }
                case '\\' -> {
                    if (at == characters.length) {
                        throw malformed(text, "a character has to follow the backslash");
                    }
                    steps.add(new Step.Same(characters[at++]));
                }
                default -> steps.add(new Step.Same(each));
            }
        }
        return new NamePattern(steps);
    }

    /** Returns the exception of a malformed pattern. */
    static IllegalArgumentException malformed(String text, String why) {
        return new IllegalArgumentException("the pattern " + text + " is malformed: " + why);
    }

    /** Returns whether a text has a character that may stand for others in a pattern. */
    public static boolean mayBePattern(String text) {
        return WILDCARD.matcher(text).find();
    }

    /** Returns a pattern without the backslashes that take meanings away. */
    public static String unescaped(String pattern) {
        return ESCAPED.matcher(pattern).replaceAll("$1");
    }

    /** Returns whether no character stands for others, so that one name alone matches. */
    public boolean isText() {
        return steps.stream().allMatch(Step.Same.class::isInstance);
    }

    /** Returns whether a name matches. */
    public boolean matches(FileName name) {
        return matches(RawText.of(name.bytes()));
    }

    /** Returns whether a path matches as a whole. */
    public boolean matches(PathName path) {
        return matches(RawText.of(path.bytes()));
    }

    /**
     * Returns whether a text matches as a whole. The time is at most proportional to the lengths of
     * both.
     *
     * @param text as {@link RawText}
     */
    public boolean matches(String text) {
        var characters = text.codePoints().toArray();
        var starts = new BitSet(characters.length + 1);
        starts.set(0);
        return matches(characters, starts);
    }

    /**
     * Returns whether an end of a path matches that begins with a name. The time is as for {@link
     * #matches(String)}.
     *
     * @param path as {@link RawText}
     */
    public boolean matchesEnd(String path) {
        var characters = path.codePoints().toArray();
        var starts = new BitSet(characters.length + 1);
        starts.set(0);
        for (int at = 0; at + 1 < characters.length; at++) {
            if (characters[at] == '/') {
                starts.set(at + 1);
            }
        }
        return matches(characters, starts);
    }

    /** Returns how many slashes each text has that matches, if the pattern crosses none. */
    public int slashes() {
        return (int) steps.stream().filter(new Step.Same('/')::equals).count();
    }

    private boolean matches(int[] characters, BitSet starts) {
        // The ends of all parts of the text, from a start, that the steps so far match.
        var ends = starts;
        for (var step : steps) {
            var next = new BitSet(characters.length + 1);
            for (int at = ends.nextSetBit(0); at >= 0; at = ends.nextSetBit(at + 1)) {
                if (step instanceof Step.Several several) {
                    next.set(at);
                    if (at < characters.length && (several.crosses || characters[at] != '/')) {
                        ends.set(at + 1);
                    }
                } else if (at < characters.length && accepts(step, characters[at])) {
                    next.set(at + 1);
                }
            }
            ends = next;
        }
        return ends.get(characters.length);
    }

    private static boolean accepts(Step step, int character) {
        return switch (step) {
            case Step.Same same -> same.character == character;
            case Step.Any() -> character != '/';
            case Step.OneOf(var set) -> character != '/' && set.contains(character);
            case Step.Several _ -> throw new IllegalStateException("it is not one character");
        };
    }
}
