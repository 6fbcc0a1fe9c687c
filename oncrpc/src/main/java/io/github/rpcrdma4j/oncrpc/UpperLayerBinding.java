package io.github.rpcrdma4j.oncrpc;

import java.util.HashMap;
import java.util.Map;

/**
 * An Upper-Layer Binding: which data items of a program are DDP-eligible, so that RPC-over-RDMA may
 * place them directly (RFC 8166-6-1, 5666-3.4-2). Client and server of a program need the same
 * binding. A program without one travels inline or in long messages, and none of its items is
 * placed directly. Immutable; thread-safe.
 *
 * <pre>{@code
 * static final UpperLayerBinding BINDING =
 *         UpperLayerBinding.of(PROGRAM, VERSION).procedure(STORE, 1, 0).procedure(FETCH, 0, 1).build();
 * }</pre>
 */
public interface UpperLayerBinding {
    /** The program number. */
    int program();

    /** The version of the program. */
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
     * What may be placed directly of the calls and replies of one procedure. {@link #NONE} and
     * {@link #Eligibility(int, int)} are all that most programs need.
     *
     * @param arguments bulk items of a call, each moved by one Read chunk
     * @param results bulk items of a reply, each moved by one Write chunk
     * @param fetchedReplies whether a requester fetches results from the memory of the server
     *     instead of offering its own, where the profile of its connection has that: for programs
     *     that do without speed (RFC 5666-3.8-4)
     * @param unknownLength whether replies are usually short and occasionally long, and the
     *     requester cannot predict which: it then offers no Reply chunk where long replies can be
     *     fetched
     * @param pairing which Write chunk each of several results has
     */
    record Eligibility(
            int arguments,
            int results,
            boolean fetchedReplies,
            boolean unknownLength,
            Pairing pairing) {
        /** Nothing may be placed directly. */
        public static final Eligibility NONE = new Eligibility(0, 0);

        /** Checks the numbers. */
        public Eligibility {
            if (arguments < 0 || results < 0) {
                throw new IllegalArgumentException("a number of bulk items is not negative");
            }
        }

        /**
         * So many bulk items may be placed directly.
         *
         * @param arguments of a call
         * @param results of a reply
         */
        public Eligibility(int arguments, int results) {
            this(arguments, results, false, false, Pairing.SLIDING);
        }

        /** Results are fetched by requesters, or not. */
        public Eligibility withFetchedReplies(boolean fetched) {
            return new Eligibility(arguments, results, fetched, unknownLength, pairing);
        }

        /** Replies have a length that requesters cannot predict. */
        public Eligibility withUnknownLength() {
            return new Eligibility(arguments, results, fetchedReplies, true, pairing);
        }

        /** Several results have their Write chunks by another rule. */
        public Eligibility withPairing(Pairing rule) {
            return new Eligibility(arguments, results, fetchedReplies, unknownLength, rule);
        }
    }

    /** Begins a binding for one version of a program. */
    static Builder of(int program, int version) {
        return new Builder(program, version);
    }

    /** Collects what is eligible, procedure by procedure. Used by one thread. */
    final class Builder {
        private final int program;
        private final int version;
        private final Map<Integer, Eligibility> procedures = new HashMap<>();

        private Builder(int program, int version) {
            this.program = program;
            this.version = version;
        }

        /**
         * The bulk items of a procedure.
         *
         * @param arguments how many {@link io.github.rpcrdma4j.xdr.XdrWriter#bulk} items its calls
         *     have at the most
         * @param results how many its replies have at the most
         */
        public Builder procedure(int procedure, int arguments, int results) {
            return procedure(procedure, new Eligibility(arguments, results));
        }

        /** What is eligible of a procedure. */
        public Builder procedure(int procedure, Eligibility eligibility) {
            procedures.put(procedure, eligibility);
            return this;
        }

        /** The binding; procedures that were not named have nothing eligible. */
        public UpperLayerBinding build() {
            return new BindingTable(program, version, Map.copyOf(procedures));
        }
    }
}
