package io.github.rpcrdma4j.cli;

/** Counts of bytes for people. */
final class ByteCount {
    private static final String[] UNITS = {"byte", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    private static final int STEP = 1024;

    /** What the sign stands for in an unsigned number. */
    private static final double UNSIGNED = 0x1p64;

    private ByteCount() {}

    /**
     * @param count unsigned
     */
    static String words(long count) {
        double value = count >= 0 ? count : count + UNSIGNED;
        int unit = 0;
        while (value >= STEP && unit < UNITS.length - 1) {
            value /= STEP;
            unit++;
        }
        return unit == 0 ? Count.words(count, UNITS[0]) : "%.1f %s".formatted(value, UNITS[unit]);
    }
}
