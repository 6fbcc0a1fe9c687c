package io.github.rpcrdma4j.dissect;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The worked examples. A line is hexadecimal, {@code 44 * 600} repeats a byte, and a comment
 * follows a semicolon.
 */
public final class Examples {
    private Examples() {}

    /** Returns the bytes of an example. */
    public static byte[] bytes(String name) {
        try (var in = Examples.class.getResourceAsStream("/golden/" + name + ".hex")) {
            var out = new ByteArrayOutputStream();
            for (var row : new String(in.readAllBytes(), StandardCharsets.US_ASCII).split("\n")) {
                var parts = row.replaceFirst(";.*", "").split("\\*");
                byte[] bytes = HexFormat.of().parseHex(parts[0].replace(" ", ""));
                int times = parts.length < 2 ? 1 : Integer.parseInt(parts[1].strip());
                for (int i = 0; i < times; i++) {
                    out.writeBytes(bytes);
                }
            }
            return out.toByteArray();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    /** Returns the names of all examples with a transport header. */
    static List<String> messages() {
        var names = new ArrayList<String>();
        for (int i = 1; i <= 30; i++) {
            names.add("EX-%02d".formatted(i));
        }
        names.addAll(bad());
        return names;
    }

    /** Returns the names of all examples of version 2, in the directory {@code v2}. */
    static List<String> ofVersion2() {
        var names = new ArrayList<String>();
        for (int i = 1; i <= 36; i++) {
            var name = "E%02d".formatted(i);
            switch (i) {
                case 12 -> names.addAll(List.of(name + "a", name + "b"));
                case 13 -> names.addAll(List.of(name + "a", name + "b", name + "c"));
                default -> names.add(name);
            }
        }
        return names;
    }

    static List<String> bad() {
        var names = new ArrayList<String>();
        for (int i = 1; i <= 16; i++) {
            names.add("BAD-%02d".formatted(i));
        }
        return names;
    }
}
