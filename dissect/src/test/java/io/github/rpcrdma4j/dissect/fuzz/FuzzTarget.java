package io.github.rpcrdma4j.dissect.fuzz;

import io.github.rpcrdma4j.xdr.XdrException;
import java.io.IOException;
import java.util.Locale;

/** The target of {@code dev/fuzz}, with the method names that Jazzer expects. */
public final class FuzzTarget {
    private static Decoder decoder;

    private FuzzTarget() {}

    /**
     * Selects the decoder.
     *
     * @param arguments the name of the decoder
     */
    public static void fuzzerInitialize(String[] arguments) {
        decoder = Decoder.valueOf(arguments[0].toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    /** Decodes one fuzzer input. Exceptions other than those for malformed bytes are findings. */
    public static void fuzzerTestOneInput(byte[] bytes) {
        try {
            decoder.take(bytes);
        } catch (XdrException | IOException malformed) {
            // A decoder may report malformed bytes with these.
        }
    }
}
