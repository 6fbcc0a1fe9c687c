package io.github.rpcrdma4j.cli.terminal;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.RawText;

/**
 * Formats file names for output. On a terminal it quotes names like {@code ls}, so that they can be
 * pasted into a shell and cannot control the terminal. Elsewhere it prints names as their bytes.
 *
 * @param quotes whether names go to a terminal
 */
public record QuotedName(boolean quotes) {
    private static final String ALWAYS_QUOTED = " !\"$&'()*;<=>?[\\^`{|}";
    private static final String QUOTED_FIRST = "#~";

    public String of(FileName name) {
        return of(name.bytes());
    }

    public String of(PathName path) {
        return of(path.bytes());
    }

    private String of(byte[] bytes) {
        return of(RawText.of(bytes));
    }

    /**
     * Returns a name as it is shown.
     *
     * @param raw the name as {@link RawText}
     */
    public String of(String raw) {
        return quotes ? quoted(raw) : raw;
    }

    /**
     * Quotes a name if necessary.
     *
     * @param raw the name as {@link RawText}
     */
    static String quoted(String raw) {
        if (raw.isEmpty()) {
            return "''";
        }
        boolean escapes = raw.codePoints().anyMatch(each -> !isPrintable(each));
        boolean needsQuotes =
                escapes
                        || QUOTED_FIRST.indexOf(raw.charAt(0)) >= 0
                        || raw.chars().anyMatch(each -> ALWAYS_QUOTED.indexOf(each) >= 0);
        if (!needsQuotes) {
            return raw;
        }
        boolean onlyApostrophe =
                !escapes
                        && raw.indexOf('\'') >= 0
                        && raw.chars().noneMatch(each -> "\"$`!\\".indexOf(each) >= 0);
        return onlyApostrophe ? '"' + raw + '"' : escaped(raw);
    }

    private static String escaped(String raw) {
        var shown = new StringBuilder("'");
        boolean inEscape = false;
        for (int i = 0; i < raw.length(); ) {
            int character = raw.codePointAt(i);
            i += Character.charCount(character);
            boolean printable = isPrintable(character);
            if (printable == inEscape) {
                shown.append(inEscape ? "''" : "'$'");
                inEscape = !printable;
            }
            if (!printable) {
                escape(shown, character);
            } else if (character == '\'') {
                shown.append("'\\''");
            } else {
                shown.appendCodePoint(character);
            }
        }
        return shown.append("'").toString();
    }

    private static void escape(StringBuilder shown, int character) {
        switch (character) {
            case '\n' -> shown.append("\\n");
            case '\r' -> shown.append("\\r");
            case '\t' -> shown.append("\\t");
            default -> {
                for (byte each : RawText.bytes(Character.toString(character))) {
                    shown.append('\\');
                    for (int shift = 6; shift >= 0; shift -= 3) {
                        shown.append((char) ('0' + ((each & 0xff) >> shift & 7)));
                    }
                }
            }
        }
    }

    /** Returns whether a terminal shows a character, rather than obeying it. */
    private static boolean isPrintable(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.UNASSIGNED,
                    Character.PRIVATE_USE ->
                    false;
            default -> true;
        };
    }
}
