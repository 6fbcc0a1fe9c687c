package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/**
 * Carries out the calls that a transport receives. An {@link RpcDispatcher} runs programs; a
 * gateway passes the calls on. Thread-safe.
 */
public interface CallHandler {
    /** Returns whether the thread that reads the connection may carry out this call. */
    boolean runsOnReader(CallHeader call);

    /**
     * Returns whether a call usually takes no longer than a hand-over to another thread.
     *
     * @param arguments positioned after the header; they stay unread
     */
    boolean isUsuallyQuick(CallHeader call, XdrReader arguments);

    /**
     * Returns the kind of thread that should carry out a call.
     *
     * @param movesLittle whether neither its arguments nor its results are bulk data
     */
    CallThreads.Kind kind(CallHeader call, boolean movesLittle);

    /** Returns whether none of the items of the call and of its results may be placed directly. */
    boolean wrapsData(CallHeader call);

    /**
     * Returns how many bytes of arguments the transport may fetch before this handler can use them.
     * The arguments of a call count from the start of their fetch until the handler has passed them
     * on, or the call ends. One call alone may have more.
     */
    default long bytesAheadMax() {
        return Long.MAX_VALUE;
    }

    /**
     * Carries out a call and writes the whole reply message.
     *
     * @param header the decoded header of the call
     * @param call positioned after the header
     * @param peer the address of the caller: one object for each connection
     * @param reverse the reverse direction to the caller, if the transport has one
     * @param reply an empty writer; its bulk items are memory of the handler, until the writer is
     *     closed
     * @param passed a handler that passes calls on runs it when the arguments are sent; any thread
     *     may run it, and it does not wait
     * @return false if the peer gets no reply
     * @throws InterruptedException if the handler was interrupted; there is no reply
     */
    boolean dispatch(
            CallHeader header,
            XdrReader call,
            InetSocketAddress peer,
            SegmentPool pool,
            Optional<ReverseDirection> reverse,
            XdrWriter reply,
            Runnable passed)
            throws InterruptedException;

    /** Returns whether {@link #begin} may begin a call. */
    default boolean mayBegin(CallHeader call) {
        return false;
    }

    /**
     * Begins a call whose reply comes later, from another thread. It waits for nothing, so the
     * thread that reads the connection may call it. The header, the arguments and the writer must
     * stay as they are until the end.
     *
     * @param header the decoded header of the call
     * @param call positioned after the header; it is not consumed
     * @param peer the address of the caller: one object for each connection
     * @param reply an empty writer; its bulk items are memory of the handler, until the writer is
     *     closed
     * @param end is told the end, perhaps before this method returns
     * @return false if the call cannot begin without a wait: then {@link #dispatch} carries it out,
     *     the writer is empty, and {@code end} is not told
     */
    default boolean begin(
            CallHeader header,
            XdrReader call,
            InetSocketAddress peer,
            SegmentPool pool,
            XdrWriter reply,
            CallEnd end) {
        return false;
    }

    /**
     * Carries out a call like {@link #dispatch(CallHeader, XdrReader, InetSocketAddress,
     * SegmentPool, Optional, XdrWriter, Runnable)}, for a transport that fetches no arguments.
     */
    default boolean dispatch(
            CallHeader header,
            XdrReader call,
            InetSocketAddress peer,
            SegmentPool pool,
            Optional<ReverseDirection> reverse,
            XdrWriter reply)
            throws InterruptedException {
        return dispatch(header, call, peer, pool, reverse, reply, () -> {});
    }

    /**
     * Returns a handler that also serves a program of the transport itself.
     *
     * @param program takes the calls of its program number
     */
    default CallHandler with(RpcProgram program) {
        return new BesideProgram(program.id().number(), new RpcDispatcher(List.of(program)), this);
    }
}
