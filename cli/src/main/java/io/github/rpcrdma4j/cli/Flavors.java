package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Parses the names of flavors. */
final class Flavors {
    private Flavors() {}

    /**
     * The flavor of that name.
     *
     * @throws IllegalArgumentException if there is none; the message tells a user which there are
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

    /** The flavors of a list with commas. */
    static List<SecurityFlavor> list(String words) {
        return Arrays.stream(words.split(",", -1)).map(Flavors::one).distinct().toList();
    }
}
