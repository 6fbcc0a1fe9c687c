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

    /** Which Write chunk a bulk result has (RFC 5666-3.6-5). */
    enum Pairing {
        /**
         * Results that come take the chunks one after the other. A chunk that an absent result
         * leaves serves the next (RFC 8166-4.3.2.2-1), so no chunk may be shorter than one behind
         * it.
         */
        SLIDING {
            @Override
            public int chunk(int index, int ordinal) {
                return index;
            }
        },
        /**
         * The n-th result has the n-th chunk, whether it comes or not (RFC 8267, Section 6.4.1).
         */
        ORDINAL {
            @Override
            public int chunk(int index, int ordinal) {
                return ordinal;
            }
        };

        /**
         * The place of the chunk.
         *
         * @param index how many results come before
         * @param ordinal how many come before, or could have come
         */
        public abstract int chunk(int index, int ordinal);
    }

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
     * @param pairing which chunk each of several results has
     */
    record Eligibility(
            int arguments,
            int results,
            boolean replyReads,
            boolean unknownLength,
            Pairing pairing) {
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

        /** Results are paired as RFC 8166 has it. */
        public Eligibility(int arguments, int results, boolean replyReads, boolean unknownLength) {
            this(arguments, results, replyReads, unknownLength, Pairing.SLIDING);
        }

        /** Whether each of several results has the chunk of its place. */
        public Eligibility paired(Pairing changed) {
            return new Eligibility(arguments, results, replyReads, unknownLength, changed);
        }
    }
}
