package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.binding.Bindings;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * The program's side of a call: the message that the program reads, and what of its results may be
 * reduced. While the program runs it belongs to that thread alone; else the lock of the connection
 * guards it.
 */
public final class Execution {
    /** What came of a call, for its requester. */
    public enum Outcome {
        /** There is a reply. */
        ANSWERED,
        /** Nothing can be answered at the level of RPC. */
        UNANSWERABLE,
        /** Nothing is owed: it was a replay, or pretended to be one. */
        DROPPED
    }

    private final ServedCall call;
    private final SegmentPool pool;
    private final XdrReader arguments = new XdrReader(MemorySegment.NULL);
    private MemorySegment message = MemorySegment.NULL;
    private Placements placements = Placements.NONE;
    private int argumentChunks;
    private CallHeader header;
    private Eligibility eligibility = Eligibility.NONE;
    private boolean asked;

    Execution(ServedCall call, SegmentPool pool) {
        this.call = call;
        this.pool = pool;
    }

    /** From now on it is of another call, whose message came inline. */
    void begin(MemorySegment inline) {
        message = inline;
        placements = Placements.NONE;
        argumentChunks = 0;
        header = null;
        eligibility = Eligibility.NONE;
        asked = false;
    }

    /**
     * Says where the message lies.
     *
     * @param apart where the arguments lie that are not in it
     * @param chunks how many of them came in chunks
     */
    void arguments(MemorySegment whole, Placements apart, int chunks) {
        message = whole;
        placements = apart;
        argumentChunks = chunks;
    }

    /** The call message, without what was reduced; whole once it was fetched. */
    MemorySegment message() {
        return message;
    }

    /** The memory of the message is given back. */
    void releaseArguments() {
        message = MemorySegment.NULL;
    }

    /** The header of the call message, which was fetched; null if it is not one. */
    public CallHeader header() {
        if (header == null) {
            arguments.restart(message, placements);
            try {
                header = CallHeader.decode(arguments);
            } catch (XdrException _) {
                return null;
            }
        }
        return header;
    }

    /**
     * Has the program carry the call out.
     *
     * @param reverse the way back to the requester
     */
    public Outcome run(
            RpcDispatcher dispatcher,
            Bindings bindings,
            InetSocketAddress peer,
            Optional<ReverseDirection> reverse)
            throws InterruptedException {
        var header = header();
        if (header == null || header.xid() != call.xid()) {
            return Outcome.UNANSWERABLE;
        }
        boolean wrapped = dispatcher.wrapsData(header);
        if (!wrapped) {
            // Nothing of what is wrapped is an item of its own (RFC 8166-8.2.2.3-1).
            eligibility =
                    bindings.eligibility(header.program(), header.version(), header.procedure());
        }
        asked = true;
        var reply = call.beginReply();
        if (!wrapped && argumentChunks > eligibility.arguments()) {
            // An argument was reduced that its binding keeps in the stream (RFC 8166-6.1-2,
            // 8166-4.5.2-2; V2-4.2.3-9).
            new ReplyHeader.Refused(call.xid(), AcceptStatus.GARBAGE_ARGS).encode(reply);
            return Outcome.ANSWERED;
        }
        // Where something was reduced of what is wrapped, it is not found in the stream.
        return dispatcher.dispatch(header, arguments, peer, pool, reverse, reply)
                ? Outcome.ANSWERED
                : Outcome.DROPPED;
    }

    /** Whether a program was asked, so that there may be a reply. */
    boolean wasAsked() {
        return asked;
    }

    /** What of the procedure may be reduced; nothing before a program was asked. */
    public Eligibility eligibility() {
        return eligibility;
    }
}
