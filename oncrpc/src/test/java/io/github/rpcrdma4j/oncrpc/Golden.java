package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.stream.Collectors;

/** Reads messages from files of commented hexadecimal digits. */
public final class Golden {
    private Golden() {}

    /** Returns the bytes of {@code golden/NAME.hex}, as a new copy on the heap. */
    public static MemorySegment bytes(String name) {
        try (var file = Golden.class.getResourceAsStream("/golden/" + name + ".hex")) {
            var text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
            var digits =
                    text.lines()
                            .map(line -> line.replaceAll("#.*|\\s", ""))
                            .collect(Collectors.joining());
            return MemorySegment.ofArray(HexFormat.of().parseHex(digits));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** Returns the bytes of a file as digits, for comparison with {@link #hex}. */
    public static String digits(String name) {
        return hex(bytes(name));
    }

    public static String hex(MemorySegment bytes) {
        return HexFormat.of().formatHex(bytes.toArray(ValueLayout.JAVA_BYTE));
    }

    public static String hex(XdrWriter message) {
        return hex(message.reducedStream());
    }
}
