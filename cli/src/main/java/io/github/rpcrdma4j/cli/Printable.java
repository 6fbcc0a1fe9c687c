package io.github.rpcrdma4j.cli;

import java.util.stream.Collectors;

/**
 * Text that a terminal shows and does not obey. Messages can hold what a server sent, and a name
 * can hold anything.
 */
final class Printable {
    private Printable() {}

    /**
     * One line: control characters, and characters that change the direction of others, are written
     * as in Java, such as {@code \n} and {@code \u001b}.
     */
    static String line(String text) {
        var line = new StringBuilder(text.length());
        text.codePoints().forEach(character -> append(line, character));
        return line.toString();
    }

    /** Several lines, each as {@link #line} has it; tabs stay. */
    static String lines(String text) {
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
            // Zero-width joiners are of words and emoji; what turns text around is of neither.
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
