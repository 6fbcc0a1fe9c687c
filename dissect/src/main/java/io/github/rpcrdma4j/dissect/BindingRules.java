package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.nfs.v4.Operation;

/** The {@link Rules} of bindings: which items may be in chunks, and in which chunk. */
final class BindingRules {
    private static final String ELIGIBLE =
            "RFC 8166, Section 6.1, RFC 8267, Sections 4 and 6.1: only data and link text may be"
                    + " reduced";
    private static final String ORDER =
            "RFC 8267, Section 6.4.1: the n-th Write chunk is that of the n-th operation that reads";
    private static final String GARBAGE =
            "a responder answers GARBAGE_ARGS (RFC 8166, Section 4.5.2)";
    private static final String FAILS =
            "a requester ends the RPC with a permanent error (RFC 8166, Section 6.1)";

    private BindingRules() {}

    /** Returns the name of an operation with its index in the COMPOUND. */
    static String operation(Operation operation, int index) {
        return operation.name() + " (operation " + index + ")";
    }

    static Finding badArguments(String why) {
        return new Finding(
                "the arguments cannot be read: " + why,
                why.contains("Read chunk")
                        ? "RFC 8166, Section 3.4.5: a Read chunk holds one item, with or without"
                                + " its padding"
                        : "RFC 7530, 8881 and 7862: the XDR of the operations",
                GARBAGE);
    }

    /** Returns the finding for a Read chunk that the walk has passed. */
    static Finding ineligible(long position, String where) {
        return new Finding(
                "the Read chunk at position " + position + " reduces an item of " + where,
                ELIGIBLE,
                GARBAGE);
    }

    static Finding surplusReadChunk(long position) {
        return new Finding(
                "the Read chunk at position "
                        + position
                        + " belongs to no item that may be reduced",
                ELIGIBLE,
                GARBAGE);
    }

    /** Returns the finding for a Read chunk behind an operation that is not known. */
    static Finding behind(long position, String unknown) {
        return new Finding(
                "the Read chunk at position " + position + " is behind " + unknown,
                "RFC 8267, Section 7: items have a binding before they may be reduced",
                GARBAGE);
    }

    static Finding uselessWriteChunks(int count, String procedure) {
        return new Finding(
                "%d Write chunks, but no result of %s may be in one".formatted(count, procedure),
                "RFC 8166, Section 4.3.2: without such a result the Write list is empty",
                "a responder returns them unused");
    }

    static Finding reducedThoughProtected(String what) {
        return new Finding(
                what + ", although RPCSEC_GSS protects the message",
                "RFC 8166, Section 8.2.2.3: nothing is reduced under integrity or privacy",
                "the receiver cannot verify or decrypt the message");
    }

    static Finding badResults(String why) {
        return new Finding(
                "the results cannot be read: " + why,
                "RFC 1094, 1813, 7530, 8881 and 7862: the XDR of the results",
                FAILS);
    }

    static Finding inline(String owner, int chunk) {
        return new Finding(
                "the result of " + owner + " is inline, although it has Write chunk " + chunk,
                "RFC 8166, Section 4.3.2, RFC 8267, Section 6.4.1: a result is returned in its"
                        + " Write chunk, unless that is empty",
                FAILS);
    }

    static Finding otherLength(int chunk, long filled, String owner, long length) {
        return new Finding(
                "Write chunk %d has %d bytes, but the result of %s has %d"
                        .formatted(chunk, filled, owner, length),
                "RFC 8166, Section 3.4.6: a Write chunk returns one item, without its padding",
                FAILS);
    }

    static Finding otherChunk(String owner, int chunk, int own) {
        return new Finding(
                "the result of %s is in Write chunk %d, but its own is %d"
                        .formatted(owner, chunk, own),
                ORDER,
                "a requester puts the data in the wrong place, or ends the RPC with an error");
    }

    static Finding filledForNothing(int chunk, String why) {
        return new Finding(
                "Write chunk " + chunk + " was filled, but " + why,
                "RFC 8166, Section 6.1, RFC 8267, Section 6.4.1: a chunk without a result is"
                        + " returned empty",
                FAILS);
    }

    static Finding filledBehind(int chunk, String unknown) {
        return new Finding(
                "Write chunk " + chunk + " was filled by a result behind " + unknown,
                "RFC 8267, Section 7: items have a binding before they may be reduced",
                FAILS);
    }

    static Finding otherOperation(int index, String called, String answered) {
        return new Finding(
                "result %d is that of %s, but the call has %s".formatted(index, answered, called),
                "RFC 7530, Section 15.2, RFC 8881, Section 16.2: results are in the order of the"
                        + " operations",
                "a requester ends the RPC with an error");
    }

    static Finding tooManyResults(long results, long operations) {
        return new Finding(
                "%d results of %d operations".formatted(results, operations),
                "RFC 7530, Section 15.2, RFC 8881, Section 16.2: each operation has at most one"
                        + " result",
                "a requester ends the RPC with an error");
    }
}
