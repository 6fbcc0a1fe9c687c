package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.CallProtection;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.binding.Bindings;
import io.github.rpcrdma4j.rpcrdma.binding.UpperLayerBinding;
import io.github.rpcrdma4j.rpcrdma.binding.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.rpcrdma.connection.Terms;
import io.github.rpcrdma4j.rpcrdma.requester.CallLayout;
import io.github.rpcrdma4j.rpcrdma.requester.EncodedCall;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall;
import io.github.rpcrdma4j.rpcrdma.requester.ShortCalls;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.Collection;

/** Turns calls into messages, by the bindings of their programs. Thread-safe. */
final class CallEncoder {
    /**
     * Each has a kilobyte or two, or eight if it carried bulk data, and a receive if its reply did.
     */
    private static final int SPARE_CALLS_MAX = 64;

    /** What holds for calls that are encoded. */
    private record Agreed(Terms terms, CallLayout layout) {}

    private final SegmentPool pool;
    private final ConnectionMemory memory;
    private volatile Agreed agreed;
    private final Bindings bindings;
    private final long segmentMax;
    private final ShortCalls shortCalls;

    /**
     * @param bindings of the programs to be called; those of none are not placed directly
     */
    CallEncoder(
            ConnectionMemory memory,
            Terms terms,
            Collection<? extends UpperLayerBinding> bindings,
            long segmentMax,
            CallLayout layout) {
        this.pool = memory.pool();
        this.memory = memory;
        this.agreed = new Agreed(terms, layout);
        this.bindings = new Bindings(bindings);
        this.segmentMax = segmentMax;
        this.shortCalls = new ShortCalls(pool, SPARE_CALLS_MAX);
    }

    /**
     * Encodes a call on the thread that makes it.
     *
     * @throws RpcException if the call cannot be protected
     * @throws IllegalArgumentException if the call breaks a limit of its own or of the connection
     */
    PendingCall encode(RpcCall call, CallProtection protection, int xid) throws RpcException {
        var now = agreed;
        var draft = shortCalls.take();
        boolean used = false;
        try {
            call.encode(draft.writer(), xid, protection, pool);
            used =
                    !protection.wrapsData()
                            && draft.fits(
                                    call,
                                    protection.replyVerifierMax(),
                                    now.terms,
                                    now.layout.plain());
            return used
                    ? draft.begin(xid).of(call)
                    : build(call, protection, xid, draft.writer(), now).of(call);
        } finally {
            if (!used) {
                draft.writer().clear();
                shortCalls.giveBack(draft);
            }
        }
    }

    private PendingCall build(
            RpcCall call, CallProtection protection, int xid, XdrWriter message, Agreed now) {
        boolean wrapped = protection.wrapsData();
        return now.layout.lay(
                new EncodedCall(
                        xid,
                        wrapped ? wrapped(call, protection) : call,
                        protection.replyVerifierMax(),
                        message,
                        wrapped ? Eligibility.NONE : eligibility(call),
                        now.terms,
                        memory,
                        segmentMax));
    }

    private Eligibility eligibility(RpcCall call) {
        return bindings.eligibility(call.program(), call.version(), call.procedure());
    }

    /** What holds now. */
    Terms terms() {
        return agreed.terms;
    }

    /** What holds for calls that are encoded from now on. */
    void agree(Terms changed, CallLayout by) {
        agreed = new Agreed(changed, by);
    }

    /** The connection is gone: gives back the memory that is kept for further calls. */
    void close() {
        shortCalls.close();
    }

    /**
     * What a wrapped call looks like from outside: all results come as one item that stays whole,
     * inline or in the Reply chunk (RFC 8166-8.2.2.3-1, 8166-8.2.2.3-2, 8166-8.2.2.3-3).
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
