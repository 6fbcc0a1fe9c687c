package io.github.rpcrdma4j.dissect;

import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** Writes values as JSON (RFC 8259). */
public final class Json {
    private static final HexFormat HEX = HexFormat.of();

    private Json() {}

    /**
     * Returns a value as one line of JSON. A number is written as its {@code toString}.
     *
     * @param value a map, a list, a number, a boolean, null, or an object that is written as its
     *     text; map entries keep their order
     */
    public static String of(Object value) {
        var out = new StringBuilder();
        write(out, value);
        return out.toString();
    }

    private static void write(StringBuilder out, Object value) {
        switch (value) {
            case null -> out.append("null");
            case Map<?, ?> map -> {
                out.append('{');
                for (Iterator<? extends Map.Entry<?, ?>> each = map.entrySet().iterator();
                        each.hasNext(); ) {
                    var entry = each.next();
                    write(out, entry.getKey().toString());
                    out.append(':');
                    write(out, entry.getValue());
                    out.append(each.hasNext() ? "," : "");
                }
                out.append('}');
            }
            case List<?> list -> {
                out.append('[');
                for (int i = 0; i < list.size(); i++) {
                    out.append(i == 0 ? "" : ",");
                    write(out, list.get(i));
                }
                out.append(']');
            }
            case Number number -> out.append(number);
            case Boolean truth -> out.append(truth);
            default -> string(out, value.toString());
        }
    }

    private static void string(StringBuilder out, String text) {
        out.append('"');
        text.codePoints().forEach(character -> append(out, character));
        out.append('"');
    }

    private static void append(StringBuilder out, int character) {
        if (character == '"' || character == '\\') {
            out.append('\\').append((char) character);
        } else if (isShown(character)) {
            out.appendCodePoint(character);
        } else {
            for (char each : Character.toChars(character)) {
                out.append("\\u").append(HEX.toHexDigits(each));
            }
        }
    }

    /**
     * Returns whether a character is written unescaped. An unpaired surrogate has no encoding in
     * UTF-8, and terminals act on control characters, including those that change the text
     * direction.
     */
    private static boolean isShown(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE ->
                    false;
            default -> true;
        };
    }
}
