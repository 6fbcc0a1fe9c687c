package io.github.rpcrdma4j.cli;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The text of a manual page, for the macros of {@code man(7)}. */
final class ManualText {
    private final StringBuilder text = new StringBuilder();

    /** Begins a section. */
    void section(String title) {
        line(".SH \"%s\"", title.toUpperCase(Locale.ROOT));
    }

    /**
     * Writes the lines of a description, which is filled except after a line that is no sentence.
     */
    void paragraph(String... lines) {
        var visible = Arrays.stream(lines).filter(each -> !each.isBlank()).toList();
        for (int i = 0; i < visible.size(); i++) {
            line("%s", escaped(visible.get(i)));
            boolean isOpen = !visible.get(i).endsWith(".") && i + 1 < visible.size();
            if (isOpen && Character.isUpperCase(visible.get(i + 1).charAt(0))) {
                line(".br");
            }
        }
    }

    /** Writes a line. */
    void line(String format, Object... parts) {
        text.append(format.formatted(parts)).append('\n');
    }

    /** Returns text of a help page so that it means itself to troff. */
    static String escaped(String words) {
        var plain = words.replace("%n", "\n").replace("%%", "%").strip();
        var safe = plain.replace("\\", "\\e").replace("-", "\\-");
        return safe.lines()
                .map(each -> each.startsWith(".") || each.startsWith("'") ? "\\&" + each : each)
                .collect(Collectors.joining("\n"));
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
