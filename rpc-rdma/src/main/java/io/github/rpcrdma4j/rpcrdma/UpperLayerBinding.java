package io.github.rpcrdma4j.rpcrdma;

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
     */
    record Eligibility(int arguments, int results) {
        /** Nothing may be reduced. */
        public static final Eligibility NONE = new Eligibility(0, 0);
    }
}
