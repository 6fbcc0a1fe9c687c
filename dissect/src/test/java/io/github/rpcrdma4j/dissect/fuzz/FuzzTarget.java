package io.github.rpcrdma4j.dissect.fuzz;

import io.github.rpcrdma4j.xdr.XdrException;
import java.io.IOException;
import java.util.Locale;

/** What {@code dev/fuzz} runs, by the names that Jazzer looks for. */
public final class FuzzTarget {
    private static Decoder decoder;

    private FuzzTarget() {}

    /**
     * @param arguments the decoder
     */
    public static void fuzzerInitialize(String[] arguments) {
        decoder = Decoder.valueOf(arguments[0].toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    /** Takes what was made up; whatever else is thrown is a finding. */
    public static void fuzzerTestOneInput(byte[] bytes) {
        try {
            decoder.take(bytes);
        } catch (XdrException | IOException malformed) {
            // That is what they are there for.
        }
    }
}
