package io.github.rpcrdma4j.rpcrdma.v2.wire;

/** The bounds on what an optional operation may hold, against hostile peers (V2-4.2-5). */
public final class OptionLimits {
    /** Characteristics of one message. */
    public static final int CHARACTERISTICS_MAX = 64;

    /** Words of one subset of characteristics. */
    public static final int SUBSET_WORDS_MAX = 8;

    /** ArrivingGroup of segments in the structure of a receive buffer. */
    public static final int BUFFER_GROUPS_MAX = 64;

    /** Segments of a receive buffer, all groups together. */
    public static final int BUFFER_SEGMENTS_MAX = 4096;

    /** Items that one message has moved apart. */
    public static final int MOVED_ITEMS_MAX = 256;

    /** Segment numbers of one item. */
    public static final int SEGMENT_NUMBERS_MAX = 4096;

    /** Sets of response directions in a request. */
    public static final int RESPONSE_SETS_MAX = 64;

    /** Items of one set of response directions. */
    public static final int RESPONSE_ITEMS_MAX = 64;

    /** XIDs of one notification that Read chunks were fetched. */
    public static final int COMPLETIONS_MAX = 256;

    private OptionLimits() {}
}
