package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * A call, as a caller submits it.
 *
 * @param program the program number
 * @param version its version
 * @param procedure its procedure
 * @param arguments writes the arguments; bulk items in them are the caller's memory, which must not
 *     change until the call has ended. A transport may invoke this function more than once.
 * @param resultsMax the longest results, in bytes, without the data of bulk results, but with the 4
 *     bytes of length before each. It is the room that the call needs for its reply, and no check:
 *     longer results arrive if they fit nevertheless, for example in a message of the transport. If
 *     not, the call fails. The decoder of the results checks their lengths.
 * @param resultTargets the caller's memory for the bulk results, in their order. Each target is as
 *     long as the largest result for it (RFC 8166-3.4.6-1, 8166-4.3.2.1-2), and belongs to the
 *     transport until the call has ended (RFC 8166-4.4.1-2). If the caller gives up the call, the
 *     transport withdraws the memory, and a late result ends the connection: {@link
 *     RpcClient#call}. If the list is empty, bulk results travel in the stream, and count in {@code
 *     resultsMax}. After the call, only the bytes that the results describe are defined. {@link
 *     io.github.rpcrdma4j.xdr.XdrReader#bulk} returns where a result is: in its target, or in other
 *     memory if it came in the stream, because it is short, its program has no binding, or the
 *     transport is TCP. Only native memory that all threads may access avoids a copy: over RDMA, a
 *     result for other memory is copied there when the caller decodes it. A target that is confined
 *     to a thread is for calls that this thread makes and decodes.
 * @param xid the XID by which a server recognizes a call that is sent again after its connection
 *     was lost. If it is empty, the transport chooses one. A caller that sets it must set a
 *     different one for every call on the connection.
 */
public record RpcCall(
        int program,
        int version,
        int procedure,
        Consumer<XdrWriter> arguments,
        long resultsMax,
        List<MemorySegment> resultTargets,
        OptionalInt xid) {
    /** The longest header of a reply, rounded up, with the additions of a flavor. */
    private static final int REPLY_HEADER_MAX = 4096;

    /**
     * The most that {@code resultsMax} may be, in bytes: 1 GiB, less room for the header of the
     * reply.
     */
    public static final long RESULTS_BYTES_MAX = (1L << 30) - REPLY_HEADER_MAX;

    /**
     * Checks the limits of the call, and copies the list of targets.
     *
     * @throws IllegalArgumentException if {@code resultsMax} is negative or more than {@link
     *     #RESULTS_BYTES_MAX}, or a target is read-only
     */
    public RpcCall {
        if (resultsMax < 0 || resultsMax > RESULTS_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "resultsMax must be 0 to " + RESULTS_BYTES_MAX + ": " + resultsMax);
        }
        resultTargets = List.copyOf(resultTargets);
        for (var target : resultTargets) {
            if (target.isReadOnly()) {
                throw new IllegalArgumentException("a result target must not be read-only");
            }
        }
    }

    /** Creates a call whose XID the transport chooses. */
    public RpcCall(
            int program,
            int version,
            int procedure,
            Consumer<XdrWriter> arguments,
            long resultsMax,
            List<MemorySegment> resultTargets) {
        this(
                program,
                version,
                procedure,
                arguments,
                resultsMax,
                resultTargets,
                OptionalInt.empty());
    }

    /** Creates a call without bulk results. */
    public RpcCall(
            int program,
            int version,
            int procedure,
            Consumer<XdrWriter> arguments,
            long resultsMax) {
        this(program, version, procedure, arguments, resultsMax, List.of());
    }

    /**
     * Returns a call of procedure 0, which every program has and which does nothing (RFC 5531,
     * Section 12.1).
     */
    public static RpcCall ofNull(int program, int version) {
        return new RpcCall(program, version, 0, _ -> {}, 0);
    }

    /** Returns this call with an XID. */
    public RpcCall withXid(int chosen) {
        return new RpcCall(
                program,
                version,
                procedure,
                arguments,
                resultsMax,
                resultTargets,
                OptionalInt.of(chosen));
    }
}
