package io.github.rpcrdma4j.cli;

import java.util.Locale;

/** Formats counts of bytes for users. */
final class ByteCount {
    private static final String[] UNITS = {"byte", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    private static final int STEP = 1024;

    /** Added to a negative {@code long} to get its unsigned value. */
    private static final double UNSIGNED = 0x1p64;

    private ByteCount() {}

    /**
     * Formats a count, such as "1.5 MiB".
     *
     * @param count in bytes, unsigned
     */
    static String words(long count) {
        double value = count >= 0 ? count : count + UNSIGNED;
        int unit = 0;
        while (value >= STEP && unit < UNITS.length - 1) {
            value /= STEP;
            unit++;
        }
        return unit == 0
                ? Count.words(count, UNITS[0])
                : String.format(Locale.ROOT, "%.1f %s", value, UNITS[unit]);
    }
}
