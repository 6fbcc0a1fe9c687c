package io.github.rpcrdma4j.rpcrdma.v2.transmission;

import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import java.util.List;

/**
 * The transmissions that together are an RPC message, as received.
 *
 * @param initial the operation of the first transmission, which describes all of them (RTR-4.2-1)
 * @param sends the transmissions, in order
 */
public record Group(
        int xid, Direction direction, Operation.Initial initial, List<GroupSend> sends) {
    public Group {
        sends = List.copyOf(sends);
    }
}
