package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.oncrpc.spi.CallMessage;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.UnclosedReplies;
import io.github.rpcrdma4j.rpcrdma.binding.Bindings;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.requester.CallMemory;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlanner;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlanner.EncodedCall;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall;
import io.github.rpcrdma4j.rpcrdma.requester.ShortCall;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.Collection;
import java.util.List;

/**
 * Encodes calls into messages, by the bindings of their programs. Thread-safe.
 *
 * <p>Tests: {@code RpcRdmaOverIwarpTest}, {@code BuildersTest}.
 */
final class CallEncoder {
    /**
     * The most call memories to keep. Each has one or two KiB, or eight after small bulk data, and
     * perhaps a receive.
     */
    private static final int SPARE_CALLS_MAX = 64;

    /** The parameters and the planner of later calls. */
    private record Agreed(ConnectionParameters parameters, CallPlanner planner) {}

    private final SegmentPool pool;
    private volatile Agreed agreed;
    private final Bindings bindings;
    private final CallMemory.Spares spares;

    /**
     * @param bindings the bindings of the programs to call; data of other programs is not placed
     *     directly
     * @param segmentMax the longest segment to offer, in bytes
     */
    CallEncoder(
            ConnectionMemory memory,
            ConnectionParameters parameters,
            Collection<? extends UpperLayerBinding> bindings,
            long segmentMax,
            CallPlanner planner) {
        this.pool = memory.pool();
        this.agreed = new Agreed(parameters, planner);
        this.bindings = new Bindings(bindings);
        this.spares = new CallMemory.Spares(memory, segmentMax, SPARE_CALLS_MAX);
    }

    /**
     * Encodes a call on the calling thread.
     *
     * @throws RpcException if the call cannot be protected, or the peer accepts no calls
     * @throws IllegalArgumentException if the call breaks a limit of its own or of the connection
     * @throws IllegalStateException if memory of the call was closed
     */
    PendingCall encode(RpcCall call, CallProtection protection, int xid) throws RpcException {
        requireBound(call);
        var now = agreed;
        var memory = spares.take();
        PendingCall encoded = null;
        try {
            CallMessage.encode(memory.message(), call, xid, protection, pool);
            requireUsable(call, memory.message().bulkItems());
            encoded =
                    isShort(call, protection, memory, now)
                            ? memory.shortCall(xid)
                            : now.planner.plan(encoded(call, protection, xid, memory, now));
            return encoded.userCall(call);
        } finally {
            if (encoded == null) {
                memory.release(true);
            }
        }
    }

    /** Throws if the call has more targets than its binding has bulk results to place in them. */
    private void requireBound(RpcCall call) {
        int targets = call.resultTargets().size();
        if (targets == 0) {
            return;
        }
        int most = bindings.resultTargetsMax(call.program(), call.version(), call.procedure());
        if (targets > most) {
            throw new IllegalArgumentException(
                    "the call has "
                            + targets
                            + (targets == 1 ? " result target" : " result targets")
                            + ", and the binding of "
                            + ProgramId.name(call.program())
                            + " has "
                            + most
                            + (most == 1 ? " bulk result" : " bulk results")
                            + " for procedure "
                            + Integer.toUnsignedString(call.procedure()));
        }
    }

    /**
     * Throws if memory of the call was closed, or this thread may not access a target. Detected
     * here, that error of the caller ends only this call, and not the connection.
     */
    private static void requireUsable(RpcCall call, List<BulkItem> arguments) {
        for (int i = 0; i < arguments.size(); i++) {
            requireAlive(arguments.get(i).data(), "an argument");
        }
        var targets = call.resultTargets();
        for (int i = 0; i < targets.size(); i++) {
            requireAlive(targets.get(i), "a result target");
            CallMessage.requireAccessible(targets.get(i), "a result target");
        }
    }

    private static void requireAlive(MemorySegment memory, String what) {
        if (!memory.scope().isAlive()) {
            throw new IllegalStateException("the memory of " + what + " was closed");
        }
    }

    private static boolean isShort(
            RpcCall call, CallProtection protection, CallMemory memory, Agreed now) {
        return !protection.wrapsData()
                && ShortCall.fits(
                        memory.message(),
                        call,
                        protection.replyVerifierMax(),
                        now.parameters,
                        now.planner.plain());
    }

    private EncodedCall encoded(
            RpcCall call, CallProtection protection, int xid, CallMemory memory, Agreed now) {
        boolean wrapped = protection.wrapsData();
        return new EncodedCall(
                xid,
                wrapped ? wrapped(call, protection) : call,
                protection.replyVerifierMax(),
                memory,
                wrapped ? Eligibility.NONE : eligibility(call),
                now.parameters);
    }

    private Eligibility eligibility(RpcCall call) {
        return bindings.eligibility(call.program(), call.version(), call.procedure());
    }

    /** Returns the present parameters. */
    ConnectionParameters parameters() {
        return agreed.parameters;
    }

    /** Sets the parameters and the planner of later calls. */
    void agree(ConnectionParameters changed, CallPlanner by) {
        agreed = new Agreed(changed, by);
    }

    /** Returns a lack of memory for a call with what may have caused it. */
    BudgetExhaustedException explain(BudgetExhaustedException none) {
        return UnclosedReplies.explain(none, pool);
    }

    /** Frees the memory that is kept for further calls. */
    void close() {
        spares.close();
    }

    /**
     * Returns a wrapped call as the transport sees it. All of its results are one item, which stays
     * whole, inline or in the Reply chunk (RFC 8166-8.2.2.3-1, 8166-8.2.2.3-2, 8166-8.2.2.3-3).
     */
    private static RpcCall wrapped(RpcCall call, CallProtection protection) {
        long resultsMax = call.resultsMax();
        for (var target : call.resultTargets()) {
            resultsMax += XdrWriter.roundUp(target.byteSize());
        }
        return new RpcCall(
                call.program(),
                call.version(),
                call.procedure(),
                call.arguments(),
                protection.wrappedMax(resultsMax));
    }
}
