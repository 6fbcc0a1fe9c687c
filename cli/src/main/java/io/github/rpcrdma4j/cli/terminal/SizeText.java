package io.github.rpcrdma4j.cli.terminal;

import java.util.Locale;
import java.util.regex.Pattern;

/** Parses sizes as users write them. */
public final class SizeText {
    private static final Pattern FORM = Pattern.compile("([0-9]{1,19})([KMGTP]?)(i?B)?");
    private static final String UNITS = "KMGTP";
    private static final int SHIFT = 10;

    private SizeText() {}

    /**
     * Returns a size in bytes, such as 1536 for {@code 1536} and 10485760 for {@code 10M}.
     *
     * @throws IllegalArgumentException if it is malformed or too large; the message tells a user
     *     why
     */
    public static long parse(String text) {
        var form = FORM.matcher(text.toUpperCase(Locale.ROOT).replace("IB", "iB"));
        if (form.matches()) {
            try {
                int shift =
                        SHIFT * (form.group(2).isEmpty() ? 0 : 1 + UNITS.indexOf(form.group(2)));
                return Math.multiplyExact(Long.parseLong(form.group(1)), 1L << shift);
            } catch (NumberFormatException | ArithmeticException _) {
                // It is too large.
            }
        }
        throw new IllegalArgumentException(
                "a size is a number of bytes, or with K, M, G or T of 1024 each, such as 10M; not "
                        + text);
    }
}
