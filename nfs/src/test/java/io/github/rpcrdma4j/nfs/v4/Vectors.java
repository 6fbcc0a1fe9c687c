package io.github.rpcrdma4j.nfs.v4;

import io.github.rpcrdma4j.xdr.XdrReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalLong;

/** The COMPOUNDs of {@code vectors.txt}, which a packer of another project wrote. */
public final class Vectors {
    /** An operation. The status is 0 in a call. */
    public record ExpectedOperation(int number, String name, long position, int status) {}

    /** A bulk item. */
    public record ExpectedItem(int operation, long position, long length) {}

    /** A READ-class operation. */
    public record ExpectedRead(int operation, OptionalLong count) {}

    /** A message. Its arms are written like "createtype4=5". */
    public record Vector(
            CompoundKind kind,
            boolean isCall,
            int minorVersion,
            byte[] bytes,
            List<ExpectedOperation> operations,
            List<ExpectedItem> items,
            List<ExpectedRead> reads,
            List<String> arms) {
        public XdrReader reader() {
            return new XdrReader(MemorySegment.ofArray(bytes));
        }
    }

    public static final List<Vector> ALL = read();

    private Vectors() {}

    public static List<Vector> calls() {
        return ALL.stream().filter(Vector::isCall).toList();
    }

    public static List<Vector> replies() {
        return ALL.stream().filter(vector -> !vector.isCall()).toList();
    }

    private static List<Vector> read() {
        try (var in = Vectors.class.getResourceAsStream("/nfs4/vectors.txt")) {
            var vectors = new ArrayList<Vector>();
            for (var line : new String(in.readAllBytes(), StandardCharsets.US_ASCII).split("\n")) {
                add(vectors, line.split(" "));
            }
            return List.copyOf(vectors);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    private static void add(List<Vector> vectors, String[] words) {
        switch (words[0]) {
            case "call", "reply", "cbcall", "cbreply" -> vectors.add(vector(words));
            case "op" ->
                    vectors.getLast()
                            .operations()
                            .add(
                                    new ExpectedOperation(
                                            Integer.parseInt(words[1]),
                                            words[2],
                                            Long.parseLong(words[3]),
                                            words.length > 4 ? Integer.parseInt(words[4]) : 0));
            case "item" ->
                    vectors.getLast()
                            .items()
                            .add(
                                    new ExpectedItem(
                                            Integer.parseInt(words[1]),
                                            Long.parseLong(words[2]),
                                            Long.parseLong(words[3])));
            case "read" ->
                    vectors.getLast()
                            .reads()
                            .add(
                                    new ExpectedRead(
                                            Integer.parseInt(words[1]),
                                            words[2].equals("-")
                                                    ? OptionalLong.empty()
                                                    : OptionalLong.of(Long.parseLong(words[2]))));
            case "arms" -> vectors.getLast().arms().addAll(List.of(words).subList(1, words.length));
            default -> throw new IllegalArgumentException(words[0]);
        }
    }

    private static Vector vector(String[] words) {
        boolean isCall = words[0].endsWith("call");
        return new Vector(
                words[0].startsWith("cb") ? CompoundKind.CB_COMPOUND : CompoundKind.COMPOUND,
                isCall,
                isCall ? Integer.parseInt(words[1]) : 0,
                HexFormat.of().parseHex(words[words.length - 1]),
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>());
    }
}
