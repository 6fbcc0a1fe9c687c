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
 * Goal: every decoder makes a value of any bytes. Method: what coverage-guided fuzzing found worth
 * keeping, as it is and damaged further.
 */
class DecodersTest {
    private static final int DAMAGED = 2000;

    /** The files of {@code /fuzz}, one for each decoder: a row of hexadecimal for each input. */
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
            // That is what they are there for.
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
