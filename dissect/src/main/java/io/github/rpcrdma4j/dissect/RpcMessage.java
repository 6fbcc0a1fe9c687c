package io.github.rpcrdma4j.dissect;

import java.util.List;
import java.util.OptionalInt;

/** A decoded RPC message. */
public sealed interface RpcMessage {
    int xid();

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
            List<String> operations)
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
     * @param status the status of NFS or MOUNT, if the reply has one
     * @param statusName the name of the status
     */
    record Reply(int xid, String outcome, OptionalInt status, String statusName)
            implements RpcMessage {}

    /** Bytes that are no valid RPC message. */
    record Unreadable(int xid, String why) implements RpcMessage {}
}
