package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.dissect.draft07.Draft07HeaderDecoder.Decoded;
import java.util.Optional;

/** The {@link Rules} for the last draft of version 2, by its sections. */
final class Draft07Rules {
    private static final String DRAFT = "draft-ietf-nfsv4-rpcrdma-version-two-07, Section ";

    private Draft07Rules() {}

    /** Returns the error that a receiver finds in a message; empty if there is none. */
    static Optional<Finding> of(Decoded decoded) {
        return switch (decoded) {
            case Decoded.Ok _ -> Optional.empty();
            case Decoded.UnknownVersion(_, var version) ->
                    found(
                            "RPC-over-RDMA of version " + Integer.toUnsignedString(version),
                            "4.3: the version of a connection does not change",
                            answers("VERS_MISMATCH"));
            case Decoded.UnknownType(_, var type) ->
                    found(
                            "header type " + Integer.toUnsignedString(type),
                            "6.1: header types are known to both sides",
                            answers("INVAL_HTYPE"));
            case Decoded.BadProperty(_, var why) ->
                    found(why, "5.1: a property has a value of its type", answers("BAD_PROPVAL"));
            case Decoded.Malformed(_, var isReply, var why) ->
                    found(
                            why,
                            "7: a header has the form of XDR",
                            isReply ? "a requester discards it" : answers("BAD_XDR"));
            case Decoded.MalformedError(_, var why) ->
                    found(
                            why,
                            "7: an RDMA2_ERROR has a code that is known",
                            "the receiver silently discards it");
            case Decoded.TooShort() ->
                    found(
                            "shorter than any header",
                            "7: a message has a header",
                            "the receiver silently discards it");
        };
    }

    /**
     * Returns the finding for a payload that is neither an RPC message nor the end of a continued
     * one.
     */
    static Finding noMessage() {
        return new Finding(
                "the XIDs of header and message differ",
                DRAFT + "7.2: a header has the XID of its message",
                answers("BAD_XDR"));
    }

    /** Returns the finding for a message that does not continue the one before. */
    static Finding outOfOrder(String before, String found) {
        return new Finding(
                found + " after " + before,
                DRAFT + "6.3: a continued message is not interrupted; properties are sent once",
                answers("INVAL_CONT"));
    }

    /** Returns the finding for a continuation of the wrong length. */
    static Finding otherLength(long remaining, long found) {
        return new Finding(
                "%d bytes of payload, where %d remained".formatted(found, remaining),
                DRAFT + "6.3.6: rdma_remaining counts the bytes that still follow",
                answers("INVAL_CONT"));
    }

    private static String answers(String code) {
        return "the receiver answers RDMA2_ERROR with RDMA2_ERR_" + code;
    }

    private static Optional<Finding> found(String what, String rule, String owed) {
        return Optional.of(new Finding(what, DRAFT + rule, owed));
    }
}
