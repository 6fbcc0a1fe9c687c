package io.github.rpcrdma4j.cli.terminal;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Locale;

/** Formats counts of bytes for users. */
public final class ByteCount {
    private static final String[] UNITS = {"byte", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    private static final String LETTERS = "KMGTPE";
    private static final int STEP = 1024;

    /** Below it, a column has a digit behind the point. */
    private static final int FRACTION_MAX = 10;

    /** Added to a negative {@code long} to get its unsigned value. */
    private static final double UNSIGNED = 0x1p64;

    private ByteCount() {}

    /**
     * Formats a count, such as "1.5 MiB".
     *
     * @param count in bytes, unsigned
     */
    public static String words(long count) {
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

    /**
     * Formats a count as the option -h of ls(1), du(1) and df(1) does, such as "1.5M": in one word,
     * and rounded up.
     *
     * @param count in bytes, not negative
     */
    public static String column(BigInteger count) {
        var value = new BigDecimal(count);
        if (value.compareTo(BigDecimal.valueOf(STEP)) < 0) {
            return count.toString();
        }
        int unit = -1;
        do {
            value = value.divide(BigDecimal.valueOf(STEP));
            unit++;
        } while (rounded(value).compareTo(BigDecimal.valueOf(STEP)) >= 0
                && unit < LETTERS.length() - 1);
        return rounded(value).toPlainString() + LETTERS.charAt(unit);
    }

    private static BigDecimal rounded(BigDecimal value) {
        var fine = value.setScale(1, RoundingMode.CEILING);
        boolean isSmall = fine.compareTo(BigDecimal.valueOf(FRACTION_MAX)) < 0;
        return isSmall ? fine : value.setScale(0, RoundingMode.CEILING);
    }
}
