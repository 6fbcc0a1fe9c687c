package io.github.rpcrdma4j.nfs;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.xdr.PayloadStream;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Messages as bytes: worked examples from files, and the output of encoders. */
public final class Golden {
    public static final SegmentPool POOL = new SegmentPool(1 << 20);

    private Golden() {}

    /**
     * Returns the bytes of an example. Its file contains hexadecimal digits, with comments after
     * semicolons.
     */
    public static byte[] bytes(String name) {
        try (var in = Golden.class.getResourceAsStream("/golden/" + name + ".hex")) {
            if (in == null) {
                throw new IllegalArgumentException("no example " + name);
            }
            return HexFormat.of()
                    .parseHex(
                            new String(in.readAllBytes(), StandardCharsets.US_ASCII)
                                    .lines()
                                    .map(line -> line.replaceFirst(";.*", "").replace(" ", ""))
                                    .collect(Collectors.joining()));
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    /** Returns the output of an encoder, including its bulk items. */
    public static byte[] flat(Consumer<XdrWriter> encoding) {
        try (var out = new XdrWriter(POOL)) {
            encoding.accept(out);
            var pieces = PayloadStream.of(out);
            byte[] bytes = new byte[(int) pieces.length()];
            pieces.copyTo(MemorySegment.ofArray(bytes));
            return bytes;
        }
    }

    public static XdrReader reader(byte[] bytes) {
        return new XdrReader(MemorySegment.ofArray(bytes));
    }
}
