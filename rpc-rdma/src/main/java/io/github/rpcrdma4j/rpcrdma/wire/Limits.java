package io.github.rpcrdma4j.rpcrdma.wire;

/** The bounds on what a transport header may hold, against hostile peers. */
public final class Limits {
    /** Entries of one Read list. */
    public static final int READ_SEGMENTS_MAX = 256;

    /** Chunks of one Write list. */
    public static final int WRITE_CHUNKS_MAX = 64;

    /** Segments of one Write chunk or Reply chunk. */
    public static final int WRITE_SEGMENTS_MAX = 256;

    private Limits() {}
}
