package io.github.rpcrdma4j.rpcrdma.v2.wire;

/** The limits of an optional operation's content, against hostile peers (V2-4.2-5). */
public final class OptionLimits {
    /** The most characteristics of one message. */
    public static final int CHARACTERISTICS_MAX = 64;

    /** The most words of one subset of characteristics. */
    public static final int SUBSET_WORDS_MAX = 8;

    /** The most groups of segments in the structure of a receive buffer. */
    public static final int BUFFER_GROUPS_MAX = 64;

    /** The most segments of a receive buffer, in all groups together. */
    public static final int BUFFER_SEGMENTS_MAX = 4096;

    /** The most items that one message moves apart from its payload. */
    public static final int MOVED_ITEMS_MAX = 256;

    /** The most segment numbers of one item. */
    public static final int SEGMENT_NUMBERS_MAX = 4096;

    /** The most sets of response directions in a request. */
    public static final int RESPONSE_SETS_MAX = 64;

    /** The most items of one set of response directions. */
    public static final int EXPECTED_RESULTS_MAX = 64;

    /** The most XIDs of one done notice. */
    public static final int DONE_XIDS_MAX = 256;

    private OptionLimits() {}
}
