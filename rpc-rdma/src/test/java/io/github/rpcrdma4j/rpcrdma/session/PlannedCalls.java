package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.requester.CallMemory;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlanner;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlanner.EncodedCall;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall;

/** Plans calls by RFC 8166 with the complete planner, even if they are short. */
final class PlannedCalls {
    private PlannedCalls() {}

    static PendingCall plan(
            int xid,
            RpcCall call,
            Eligibility eligible,
            ConnectionParameters parameters,
            ConnectionMemory connection,
            long segmentMax) {
        var memory = new CallMemory.Spares(connection, segmentMax, 0).take();
        CallHeader.encode(
                memory.message(),
                xid,
                call.program(),
                call.version(),
                call.procedure(),
                RawAuth.NONE);
        call.arguments().accept(memory.message());
        try {
            return CallPlanner.RFC_8166.plan(
                    new EncodedCall(xid, call, 0, memory, eligible, parameters));
        } catch (RpcException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
