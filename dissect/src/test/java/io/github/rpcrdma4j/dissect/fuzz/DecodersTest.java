package io.github.rpcrdma4j.dissect.fuzz;

import static org.junit.jupiter.api.Assertions.assertFalse;

import io.github.rpcrdma4j.sim.Mutation;
import io.github.rpcrdma4j.sim.Seeds;
import io.github.rpcrdma4j.xdr.XdrException;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: every decoder handles any bytes. Method: the inputs that coverage-guided fuzzing kept,
 * unchanged and damaged further.
 */
class DecodersTest {
    private static final int DAMAGED = 2000;

    /**
     * Returns the inputs of a decoder from its file in {@code /fuzz}, one line of hexadecimal each.
     */
    private static List<byte[]> corpus(Decoder decoder) throws IOException, URISyntaxException {
        var name = decoder.name().toLowerCase(Locale.ROOT).replace('_', '-') + ".hex";
        var file = Path.of(DecodersTest.class.getResource("/fuzz/" + name).toURI());
        var corpus = new ArrayList<byte[]>();
        for (var row : Files.readAllLines(file)) {
            corpus.add(HexFormat.of().parseHex(row));
        }
        return corpus;
    }

    private static void take(Decoder decoder, byte[] bytes) {
        try {
            decoder.take(bytes);
        } catch (XdrException | IOException malformed) {
            // A decoder may report malformed bytes with these.
        } catch (RuntimeException | Error broken) {
            throw new AssertionError(decoder + " " + HexFormat.of().formatHex(bytes), broken);
        }
    }

    @ParameterizedTest
    @EnumSource
    void makesAValueOfAnyBytes(Decoder decoder) throws Exception {
        var corpus = corpus(decoder);
        assertFalse(corpus.isEmpty());
        corpus.forEach(bytes -> take(decoder, bytes));
        var random = new SplittableRandom(Seeds.one());
        for (int i = 0; i < DAMAGED; i++) {
            byte[] bytes = corpus.get(random.nextInt(corpus.size()));
            byte[] other = corpus.get(random.nextInt(corpus.size()));
            take(decoder, Mutation.of(bytes, other, random));
        }
    }
}
