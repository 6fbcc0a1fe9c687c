package io.github.rpcrdma4j.rpcrdma.binding;

/**
 * What a program says of itself to RPC-over-RDMA: which of its data items are DDP-eligible (RFC
 * 8166-6-1, 5666-3.4-2). A program without a binding is carried inline or in long messages, and
 * none of its items is ever reduced. Immutable; thread-safe.
 */
public interface UpperLayerBinding {
    int program();

    int version();

    /** The row of a procedure; one with nothing eligible for a procedure that does not exist. */
    Eligibility eligibility(int procedure);

    /**
     * How many bulk items may be reduced.
     *
     * @param arguments of a call, each as one Read chunk
     * @param results of a reply, each as one Write chunk
     * @param replyReads whether a caller may have to fetch results from the memory of the server,
     *     where the profile of its connection has that: for programs that do without speed (RFC
     *     5666-3.8-4). Their calls then offer no memory for results.
     * @param unknownLength whether replies are mostly short and sometimes long, without that one
     *     could tell before: no Reply chunk need be offered for them where long replies can be
     *     fetched
     */
    record Eligibility(int arguments, int results, boolean replyReads, boolean unknownLength) {
        /** Nothing may be reduced. */
        public static final Eligibility NONE = new Eligibility(0, 0);

        /** Nothing has to be fetched by a caller. */
        public Eligibility(int arguments, int results) {
            this(arguments, results, false);
        }

        /** The length of replies is known. */
        public Eligibility(int arguments, int results, boolean replyReads) {
            this(arguments, results, replyReads, false);
        }
    }
}
