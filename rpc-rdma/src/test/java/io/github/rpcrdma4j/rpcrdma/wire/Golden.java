package io.github.rpcrdma4j.rpcrdma.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The worked examples of RPC-over-RDMA version 1, written by hand from RFC 5666, RFC 8166, RFC 8167
 * and RFC 8797. EX-nn are legal, BAD-nn are not. The files hold bytes in hexadecimal: {@code 44 *
 * 600} repeats a byte, and a semicolon begins a comment that names the field.
 */
public final class Golden {
    private Golden() {}

    /** Returns the bytes of an example. */
    public static byte[] bytes(String name) {
        try (var in = Golden.class.getResourceAsStream("/golden/" + name + ".hex")) {
            if (in == null) {
                throw new IllegalArgumentException("no example " + name);
            }
            var out = new ByteArrayOutputStream();
            new String(in.readAllBytes(), StandardCharsets.US_ASCII)
                    .lines()
                    .forEach(line -> append(line, out));
            return out.toByteArray();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    private static void append(String row, ByteArrayOutputStream out) {
        var line = row.replaceFirst(";.*", "");
        int star = line.indexOf('*');
        if (star < 0) {
            out.writeBytes(HexFormat.of().parseHex(line.replace(" ", "")));
            return;
        }
        byte[] one = HexFormat.of().parseHex(line.substring(0, star).strip());
        for (int i = Integer.parseInt(line.substring(star + 1).strip()); i > 0; i--) {
            out.writeBytes(one);
        }
    }

    public static MemorySegment message(String name) {
        return MemorySegment.ofArray(bytes(name));
    }

    /** Returns the names of all examples with a transport header: EX-01 to EX-30 and all BAD-nn. */
    public static List<String> messages() {
        var names = new ArrayList<String>();
        for (int i = 1; i <= 30; i++) {
            names.add("EX-%02d".formatted(i));
        }
        for (int i = 1; i <= 16; i++) {
            names.add("BAD-%02d".formatted(i));
        }
        names.add("BAD-16R");
        return names;
    }

    /** Returns the examples of version 2, except groups and examples of other documents. */
    public static List<String> messagesOfVersion2() {
        return IntStream.rangeClosed(1, 31)
                .filter(i -> i != 12 && i != 13)
                .mapToObj("v2/E%02d"::formatted)
                .toList();
    }
}
