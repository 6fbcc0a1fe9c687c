package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.rpcrdma.v2.wire.Received;
import java.util.Optional;

/** The {@link Rules} for messages of version 2, from the rule tables in {@code specs}. */
final class Version2Rules {
    private static final String HEADERS =
            "V2-4.2.3-2: a header has the form of XDR, and fits its message";

    private Version2Rules() {}

    /** Returns the error that a receiver finds in a message; empty if there is none. */
    static Optional<Finding> of(Received received) {
        return switch (received) {
            case Received.Call _,
                    Received.Reply _,
                    Received.Transmission _,
                    Received.Control _,
                    Received.Failure _ ->
                    Optional.empty();
            case Received.OweVersionError(_, var version) ->
                    found(
                            "RPC-over-RDMA of version " + Integer.toUnsignedString(version),
                            "V2-5-3: the version of a connection does not change",
                            "a responder answers RDMA2_ERROR with RDMA2_ERR_VERS");
            case Received.OweBadHeader(_, var why) ->
                    found(
                            why,
                            HEADERS,
                            "a responder answers RDMA2_ERROR with RDMA2_ERR_BAD_HEADER");
            case Received.OweBadOption(_, var type) ->
                    found(
                            "operation 0x%08x".formatted(type),
                            "V2-3.1-1: operations are known to both sides",
                            "the receiver answers RDMA2_ERROR with RDMA2_ERR_INVAL_OPTION");
            case Received.OweDoneNotice(_, var why) ->
                    found(
                            why,
                            "RPR-X-5: a reply is in exactly one place",
                            "a requester discards it, and sends ROPT_RPDONE for its Read chunks");
            case Received.Discard(var why) ->
                    found(why, HEADERS, "the receiver silently discards it (V2-4.2.3-3)");
        };
    }

    private static Optional<Finding> found(String what, String rule, String owed) {
        return Optional.of(new Finding(what, rule, owed));
    }
}
