package io.github.rpcrdma4j.nfs;

import io.github.rpcrdma4j.nfs.binding.NfsBindings;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * A message that {@code program_vectors.py} made from the definitions of other projects.
 *
 * @param line shows which message this is
 * @param item the position and the length of its eligible item
 */
public record ProgramVector(
        String line,
        boolean isCall,
        UpperLayerBinding binding,
        int procedure,
        byte[] bytes,
        Optional<List<Long>> item) {
    /** All messages, in the order of their programs. */
    public static final List<ProgramVector> ALL = read();

    private static List<ProgramVector> read() {
        try (var in = ProgramVector.class.getResourceAsStream("/programs/vectors.txt")) {
            var text = new String(in.readAllBytes(), StandardCharsets.US_ASCII);
            return text.lines().map(ProgramVector::of).toList();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    /** Returns the messages of a version of a program. */
    public static List<ProgramVector> of(int program, int version) {
        return ALL.stream()
                .filter(
                        each ->
                                each.binding.program() == program
                                        && each.binding.version() == version)
                .toList();
    }

    private static ProgramVector of(String line) {
        var words = line.split(" ");
        byte[] bytes = words[4].equals("-") ? new byte[0] : HexFormat.of().parseHex(words[4]);
        return new ProgramVector(
                String.join(" ", List.of(words).subList(0, 4)),
                words[0].equals("call"),
                NfsBindings.find(Integer.parseInt(words[1]), Integer.parseInt(words[2]))
                        .orElseThrow(),
                Integer.parseInt(words[3]),
                bytes,
                words.length > 5
                        ? Optional.of(List.of(Long.valueOf(words[5]), Long.valueOf(words[6])))
                        : Optional.empty());
    }

    /** Returns a reader at the start of the message. */
    public XdrReader reader() {
        return Golden.reader(bytes);
    }

    /** Returns the bulk items that the binding finds. */
    public List<BulkItem> items(XdrReader in) {
        return isCall
                ? binding.plan(procedure, in).bulkArguments()
                : binding.bulkResults(procedure, in);
    }
}
