package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The Upper-Layer Binding of one version of a program. It defines which data items are
 * DDP-eligible, so that RPC-over-RDMA may place them directly (RFC 8166-6-1, 5666-3.4-2). Client
 * and server of a program need the same binding. The calls of a program without a binding travel
 * inline or in long messages, and none of their items is placed directly. Immutable; thread-safe.
 *
 * <pre>{@code
 * static final UpperLayerBinding BINDING =
 *         UpperLayerBinding.of(PROGRAM, VERSION)
 *                 .procedure(STORE, 1, 0)
 *                 .procedure(FETCH, 0, 1)
 *                 .build();
 * }</pre>
 */
public interface UpperLayerBinding {
    /** Returns the program number. */
    int program();

    /** Returns the version of the program. */
    int version();

    /** Returns the eligible items of a procedure, or none for a procedure that does not exist. */
    Eligibility eligibility(int procedure);

    /**
     * Reads a call that another program has encoded, as gateways and decoders do. By default a
     * binding reads nothing.
     *
     * @param arguments positioned at the arguments; it is left where reading ended. The positions
     *     in the plan are right if it began at the start of the RPC message.
     */
    default Plan plan(int procedure, XdrReader arguments) {
        return Plan.UNREAD;
    }

    /**
     * Returns the most bytes of the results of a call with their bulk items; 0 if the call shows no
     * limit and the procedure has no bulk results. A server asks for each call how much memory its
     * reply may need. By default the plan says it.
     *
     * @param arguments positioned at the arguments; it is left where reading ended
     * @param unknown what an item counts whose length the call does not limit, in bytes
     */
    default long resultsMax(int procedure, XdrReader arguments, long unknown) {
        var plan = plan(procedure, arguments);
        if (plan.resultsMax().isEmpty()) {
            return eligibility(procedure).results() > 0 ? unknown : 0;
        }
        long bytes = plan.resultsMax().getAsLong();
        for (var each : plan.bulkResults()) {
            bytes += each.dataMax().orElse(unknown);
        }
        return bytes;
    }

    /**
     * Returns the bulk items of a reply that another program has encoded, up to the first part that
     * cannot be read. Each has its position and its ordinal: the number of its Write chunk with
     * {@link Pairing#ORDINAL}. By default a binding reads nothing.
     *
     * @param results positioned at the results of an accepted call that succeeded; its placements
     *     learn of each possible item that is absent
     */
    default List<BulkItem> bulkResults(int procedure, XdrReader results) {
        return List.of();
    }

    /**
     * What a binding reads in the arguments of one call (RFC 8267, Sections 3 and 6.4.1).
     *
     * @param bulkArguments the eligible items of the arguments, in their order; after an item that
     *     cannot be read, none is eligible
     * @param bulkResults the results that may have a bulk item, in their order
     * @param resultsMax the most bytes of the results, without the data of bulk results but with
     *     the length word of each; empty if the call shows no limit
     * @param mayTryLonger whether a requester whose memory was too short for the reply may make the
     *     call again with a longer Reply chunk (RFC 8267, Section 3.1)
     */
    record Plan(
            List<BulkItem> bulkArguments,
            List<BulkResult> bulkResults,
            OptionalLong resultsMax,
            boolean mayTryLonger) {
        /** Nothing is known of the call. */
        public static final Plan UNREAD =
                new Plan(List.of(), List.of(), OptionalLong.empty(), false);

        /** Makes the lists immutable. */
        public Plan {
            bulkArguments = List.copyOf(bulkArguments);
            bulkResults = List.copyOf(bulkResults);
        }

        /**
         * A result that may have a bulk item.
         *
         * @param dataMax the most bytes of the item; empty if it has no limit
         * @param operation where the operation that returns it starts in the unreduced call
         *     message, in bytes; 0 for programs whose calls are not made of operations
         */
        public record BulkResult(OptionalLong dataMax, long operation) {}
    }

    /** The rule that assigns Write chunks to bulk results (RFC 5666-3.6-5). */
    enum Pairing {
        /**
         * The results that are present take the chunks one after the other. The chunk of an absent
         * result goes to the next result (RFC 8166-4.3.2.2-1), so no chunk may be shorter than a
         * later one.
         */
        SLIDING {
            @Override
            public int chunk(int index, int ordinal) {
                return index;
            }
        },
        /**
         * The n-th possible result has the n-th chunk, even if earlier results are absent (RFC
         * 8267, Section 6.4.1).
         */
        ORDINAL {
            @Override
            public int chunk(int index, int ordinal) {
                return ordinal;
            }
        };

        /**
         * Returns the index of the chunk in the Write list.
         *
         * @param index the number of results that precede this one
         * @param ordinal the number of results that precede or could have preceded this one
         */
        public abstract int chunk(int index, int ordinal);
    }

    /**
     * The items of one procedure that may be placed directly. Most programs need only {@link #NONE}
     * and {@link #Eligibility(int, int)}.
     *
     * @param arguments the number of bulk items of a call, each moved by one Read chunk
     * @param results the number of bulk items of a reply, each moved by one Write chunk
     * @param fetchedReplies whether a requester fetches results from memory of the responder
     *     instead of offering its own memory, if the profile of the connection allows that; for
     *     programs that do not need speed (RFC 5666-3.8-4)
     * @param unknownLength whether the requester cannot predict which replies are long, and most
     *     are short. It then offers no Reply chunk on connections where it can fetch long replies.
     * @param pairing the rule that assigns Write chunks to several results
     */
    record Eligibility(
            int arguments,
            int results,
            boolean fetchedReplies,
            boolean unknownLength,
            Pairing pairing) {
        /** Nothing may be placed directly. */
        public static final Eligibility NONE = new Eligibility(0, 0);

        /** Checks that the numbers are not negative. */
        public Eligibility {
            if (arguments < 0 || results < 0) {
                throw new IllegalArgumentException("the number of bulk items must not be negative");
            }
        }

        /**
         * Creates an eligibility for some number of bulk items.
         *
         * @param arguments the number of bulk items of a call
         * @param results the number of bulk items of a reply
         */
        public Eligibility(int arguments, int results) {
            this(arguments, results, false, false, Pairing.SLIDING);
        }

        /** Returns this eligibility with or without fetched replies. */
        public Eligibility withFetchedReplies(boolean fetched) {
            return new Eligibility(arguments, results, fetched, unknownLength, pairing);
        }

        /** Returns this eligibility for replies whose length requesters cannot predict. */
        public Eligibility withUnknownLength() {
            return new Eligibility(arguments, results, fetchedReplies, true, pairing);
        }

        /** Returns this eligibility with another rule for the Write chunks of several results. */
        public Eligibility withPairing(Pairing rule) {
            return new Eligibility(arguments, results, fetchedReplies, unknownLength, rule);
        }
    }

    /** Begins a binding for one version of a program. */
    static Builder of(int program, int version) {
        return new Builder(program, version);
    }

    /** Collects the eligible items of each procedure. Not thread-safe. */
    final class Builder {
        private final int program;
        private final int version;
        private final Map<Integer, Eligibility> procedures = new HashMap<>();

        private Builder(int program, int version) {
            this.program = program;
            this.version = version;
        }

        /**
         * Sets the number of bulk items of a procedure.
         *
         * @param arguments the most {@link io.github.rpcrdma4j.xdr.XdrWriter#bulk} items of its
         *     calls
         * @param results the most such items of its replies
         */
        public Builder procedure(int procedure, int arguments, int results) {
            return procedure(procedure, new Eligibility(arguments, results));
        }

        /** Sets the eligible items of a procedure. */
        public Builder procedure(int procedure, Eligibility eligibility) {
            procedures.put(procedure, eligibility);
            return this;
        }

        /** Returns the binding. Procedures that were not set have no eligible items. */
        public UpperLayerBinding build() {
            return new BindingTable(program, version, Map.copyOf(procedures));
        }
    }
}
