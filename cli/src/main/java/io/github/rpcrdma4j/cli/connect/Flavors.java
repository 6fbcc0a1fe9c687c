package io.github.rpcrdma4j.cli.connect;

import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Collectors;

/** Parses the names of security flavors. */
public final class Flavors {
    /** The words that a shell completes, of all flavors. */
    public static final class Words implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Arrays.stream(SecurityFlavor.values()).map(SecurityFlavor::word).iterator();
        }
    }

    private Flavors() {}

    /**
     * Returns the flavor with a name.
     *
     * @throws IllegalArgumentException if there is none; the message lists the known flavors
     */
    static SecurityFlavor one(String word) {
        return SecurityFlavor.of(word)
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "--sec knows "
                                                + Arrays.stream(SecurityFlavor.values())
                                                        .map(SecurityFlavor::word)
                                                        .collect(Collectors.joining(", "))
                                                + ", not "
                                                + word));
    }

    /** Returns the flavors of a comma-separated list. */
    public static List<SecurityFlavor> list(String words) {
        return Arrays.stream(words.split(",", -1)).map(Flavors::one).distinct().toList();
    }
}
