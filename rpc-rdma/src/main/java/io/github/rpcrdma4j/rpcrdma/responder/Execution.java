package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.oncrpc.spi.CallHandler;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.rpcrdma.binding.Bindings;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The execution of a call by its program: the message to read, and the results that may be reduced.
 * While the program runs, only its thread may use it. A begun call is used by its handler until its
 * end. Otherwise the lock of the connection guards it.
 *
 * <p>Tests: {@code RepliesOnTheWireTest}, {@code ResponderOverIwarpTest}.
 */
public final class Execution {
    /** The outcome of a call for its requester. */
    public enum Outcome {
        /** The program wrote a reply. */
        ANSWERED,
        /** The message is no RPC call, so no RPC reply is possible. */
        UNANSWERABLE,
        /** No reply is due: the call was a replay, or looked like one. */
        DROPPED
    }

    /** What is planned for a reply that has no known bound: the data of a long READ. */
    private static final long LONG_REPLY_BYTES = 1 << 20;

    private final ServedCall call;
    private final SegmentPool pool;
    private final XdrReader arguments = new XdrReader(MemorySegment.NULL);
    private MemorySegment message = MemorySegment.NULL;
    private Placements placements = Placements.NONE;
    private int argumentChunks;
    private CallHeader header;
    private Eligibility eligibility = Eligibility.NONE;
    private boolean dispatched;

    Execution(ServedCall call, SegmentPool pool) {
        this.call = call;
        this.pool = pool;
    }

    /**
     * Resets this object for another call, whose message arrived inline.
     *
     * @param awaited the placements of arguments that are to be fetched
     */
    void begin(MemorySegment inline, Placements awaited) {
        message = inline;
        placements = awaited;
        argumentChunks = 0;
        header = null;
        eligibility = Eligibility.NONE;
        dispatched = false;
    }

    /**
     * Sets the message and its arguments.
     *
     * @param apart the placements of arguments that are not in the message
     * @param chunks how many of them arrived in chunks
     */
    void arguments(MemorySegment whole, Placements apart, int chunks) {
        message = whole;
        placements = apart;
        argumentChunks = chunks;
        // A header that was read before the arguments were there does not begin at them.
        header = null;
    }

    /** Returns the call message without its reduced items. It is complete after the fetch. */
    MemorySegment message() {
        return message;
    }

    /** Forgets the message, whose memory is about to be freed. */
    void releaseArguments() {
        message = MemorySegment.NULL;
    }

    /** Returns the header of the fetched call message; null if it is not a call message. */
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
     * Returns how many bytes of memory the longest reply to the call takes; 0 if the message is no
     * call.
     */
    public long replyBytesMax(CallHandler handler, Bindings bindings) {
        var header = header();
        if (header == null) {
            // The message is in a Read chunk, or it is no call.
            return call.hasSeparateArguments() ? LONG_REPLY_BYTES : 0;
        }
        return handler.wrapsData(header)
                ? LONG_REPLY_BYTES
                : bindings.replyBytesMax(header, arguments.peek(), LONG_REPLY_BYTES);
    }

    /** Returns whether the call usually takes no longer than a hand-over to another thread. */
    public boolean isUsuallyQuick(CallHandler handler) {
        var header = header();
        return header != null && handler.isUsuallyQuick(header, arguments);
    }

    /**
     * Runs the program of the call.
     *
     * @param reverse the reverse direction of the connection, for calls to the requester
     * @param passed runs when the handler has passed the arguments on
     */
    public Outcome run(
            CallHandler handler,
            Bindings bindings,
            InetSocketAddress peer,
            Optional<ReverseDirection> reverse,
            Runnable passed)
            throws InterruptedException {
        var header = header();
        if (header == null || header.xid() != call.xid()) {
            return Outcome.UNANSWERABLE;
        }
        boolean areAllowed = prepare(handler, bindings);
        dispatched = true;
        var reply = call.beginReply();
        if (!areAllowed) {
            // The requester reduced an argument that is not eligible (RFC 8166-6.1-2, 8166-4.5.2-2;
            // V2-4.2.3-9).
            new ReplyHeader.Refused(call.xid(), AcceptStatus.GARBAGE_ARGS).encode(reply);
            return Outcome.ANSWERED;
        }
        // If a part of wrapped data was reduced, the handler finds the stream incomplete.
        return handler.dispatch(header, arguments, peer, pool, reverse, reply, passed)
                ? Outcome.ANSWERED
                : Outcome.DROPPED;
    }

    /**
     * Learns which data items may be reduced. Returns whether no other argument was reduced, as far
     * as this side can tell.
     */
    private boolean prepare(CallHandler handler, Bindings bindings) {
        if (handler.wrapsData(header)) {
            // Wrapped data has no eligible items (RFC 8166-8.2.2.3-1).
            return true;
        }
        eligibility = bindings.eligibility(header.program(), header.version(), header.procedure());
        return argumentChunks <= eligibility.arguments();
    }

    /**
     * Begins the call, if its handler can begin it without a wait.
     *
     * @param end is told the outcome, perhaps before this method returns
     * @return false if the program is to be run
     */
    public boolean begin(
            CallHandler handler, Bindings bindings, InetSocketAddress peer, Consumer<Outcome> end) {
        var header = header();
        if (header == null
                || header.xid() != call.xid()
                || !handler.mayBegin(header)
                // A dispatched call tells when such arguments are passed on, before its end.
                || call.hasSeparateArguments()
                || !prepare(handler, bindings)) {
            return false;
        }
        dispatched = true;
        return handler.begin(
                header,
                arguments,
                peer,
                pool,
                call.beginReply(),
                isAnswered -> end.accept(isAnswered ? Outcome.ANSWERED : Outcome.DROPPED));
    }

    /** Returns whether the call was dispatched, so that there may be a reply. */
    boolean wasDispatched() {
        return dispatched;
    }

    /**
     * Returns the eligibility of the procedure's data items; nothing is eligible before the
     * dispatch.
     */
    public Eligibility eligibility() {
        return eligibility;
    }
}
