package io.github.rpcrdma4j.dissect;

import java.util.List;
import java.util.OptionalInt;

/** An RPC message, as far as it is understood. */
public sealed interface RpcMessage {
    int xid();

    /**
     * A call.
     *
     * @param flavor of the credential
     * @param name of program, version and procedure
     * @param operations of an NFSv4 COMPOUND; ends with "..." if not all could be told
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
        /** Name and operations. */
        public String fullName() {
            return operations.isEmpty() ? name : name + " {" + String.join(" ", operations) + "}";
        }
    }

    /**
     * A reply.
     *
     * @param outcome how the call ended for RPC: SUCCESS, or why not
     * @param status the status of NFS or MOUNT, if it has one
     * @param statusName its name
     */
    record Reply(int xid, String outcome, OptionalInt status, String statusName)
            implements RpcMessage {}

    /** Bytes that are no RPC message. */
    record Unreadable(int xid, String why) implements RpcMessage {}
}
