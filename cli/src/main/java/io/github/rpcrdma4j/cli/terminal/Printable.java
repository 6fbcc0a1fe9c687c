package io.github.rpcrdma4j.cli.terminal;

import java.util.stream.Collectors;

/**
 * Makes text safe to show on a terminal. Messages can hold text of a server, and names can hold any
 * character.
 */
public final class Printable {
    private Printable() {}

    /**
     * Returns one line. Control characters, and characters that change the direction of text, are
     * escaped as in Java: {@code \n}, {@code \u001b}.
     */
    public static String line(String text) {
        var line = new StringBuilder(text.length());
        text.codePoints().forEach(character -> append(line, character));
        return line.toString();
    }

    /** Returns several lines, each escaped as by {@link #line}; tabs stay. */
    public static String lines(String text) {
        return text.lines()
                .map(line -> line(line).replace("\\t", "\t"))
                .collect(Collectors.joining(System.lineSeparator()));
    }

    private static void append(StringBuilder line, int character) {
        switch (character) {
            case '\n' -> line.append("\\n");
            case '\r' -> line.append("\\r");
            case '\t' -> line.append("\\t");
            default -> {
                if (isPrintable(character)) {
                    line.appendCodePoint(character);
                } else {
                    line.append("\\u%04x".formatted(character));
                }
            }
        }
    }

    private static boolean isPrintable(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE ->
                    false;
            // Zero-width joiners belong to words and emoji; direction controls belong to neither.
            case Character.FORMAT ->
                    switch (Character.getDirectionality(character)) {
                        case Character.DIRECTIONALITY_LEFT_TO_RIGHT_EMBEDDING,
                                Character.DIRECTIONALITY_LEFT_TO_RIGHT_OVERRIDE,
                                Character.DIRECTIONALITY_RIGHT_TO_LEFT_EMBEDDING,
                                Character.DIRECTIONALITY_RIGHT_TO_LEFT_OVERRIDE,
                                Character.DIRECTIONALITY_POP_DIRECTIONAL_FORMAT,
                                Character.DIRECTIONALITY_LEFT_TO_RIGHT_ISOLATE,
                                Character.DIRECTIONALITY_RIGHT_TO_LEFT_ISOLATE,
                                Character.DIRECTIONALITY_FIRST_STRONG_ISOLATE,
                                Character.DIRECTIONALITY_POP_DIRECTIONAL_ISOLATE ->
                                false;
                        default -> true;
                    };
            default -> true;
        };
    }
}
