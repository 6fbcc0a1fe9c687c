package io.github.rpcrdma4j.oncrpc;

/**
 * Record marking on byte streams (RFC 5531, Section 11): a record is a row of fragments.
 *
 * <pre>
 *   last(1) length(31) | length octets
 * </pre>
 */
public final class RecordMark {
    /** Octets of the mark. */
    public static final int BYTES = 4;

    /** The longest fragment, in octets. */
    public static final int FRAGMENT_MAX = 0x7fff_ffff;

    private static final int LAST = 0x8000_0000;

    private RecordMark() {}

    /** The mark of a record that is one fragment. */
    public static int ofWhole(long length) {
        if (length < 0 || length > FRAGMENT_MAX) {
            throw new IllegalArgumentException("a record fragment has at most 2^31-1 octets");
        }
        return LAST | (int) length;
    }

    public static boolean isLast(int mark) {
        return (mark & LAST) != 0;
    }

    /** Octets of the fragment behind the mark. */
    public static int length(int mark) {
        return mark & FRAGMENT_MAX;
    }
}
