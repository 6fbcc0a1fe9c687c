package io.github.rpcrdma4j.dissect;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** A decoded RPC message. */
public sealed interface RpcMessage {
    int xid();

    /** Returns why not all of it was judged by the binding of its program; empty if all was. */
    Optional<String> notJudged();

    /**
     * A call.
     *
     * @param flavor the flavor of the credential
     * @param name the name of program, version and procedure
     * @param operations the operations of an NFSv4 COMPOUND; ends with "..." if not all could be
     *     found
     */
    record Call(
            int xid,
            int program,
            int version,
            int procedure,
            int flavor,
            String name,
            List<String> operations,
            Optional<String> notJudged)
            implements RpcMessage {
        /** Returns the name and the operations. */
        public String fullName() {
            return operations.isEmpty() ? name : name + " {" + String.join(" ", operations) + "}";
        }
    }

    /**
     * A reply.
     *
     * @param outcome the RPC result of the call: SUCCESS or an error
     * @param status the status of the results, if the program has one
     * @param statusName the name of the status
     */
    record Reply(
            int xid,
            String outcome,
            OptionalInt status,
            String statusName,
            Optional<String> notJudged)
            implements RpcMessage {}

    /** Bytes that are no valid RPC message. */
    record Unreadable(int xid, String why, Optional<String> notJudged) implements RpcMessage {}
}
