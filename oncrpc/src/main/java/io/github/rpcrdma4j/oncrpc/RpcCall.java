package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * A call to make.
 *
 * @param program the program number
 * @param version its version
 * @param procedure its procedure
 * @param arguments writes the arguments; bulk items in them are the caller's memory, which must not
 *     change until the call returns. A transport may run it more than once.
 * @param resultsMax the most bytes that the results can take, without the data of bulk results, but
 *     with the 4 bytes of length in front of each
 * @param resultTargets the caller's memory for the bulk results, in their order; each is as long as
 *     the largest result that might land there (RFC 8166-3.4.6-1, 8166-4.3.2.1-2), and belongs to
 *     the transport until the call returns (RFC 8166-4.4.1-2). If the call is given up before its
 *     reply, the memory is withdrawn, and a late result ends the connection: {@link
 *     RpcClient#call}. Empty: bulk results come in the stream, and count in {@code resultsMax}. The
 *     content of all targets is undefined after the call, but for what the results say. Only native
 *     memory spares a copy.
 * @param xid by which a server knows a call again that is sent anew after its connection was lost;
 *     empty: the transport picks one. A caller that sets it does so for all calls of a connection,
 *     each time another.
 */
public record RpcCall(
        int program,
        int version,
        int procedure,
        Consumer<XdrWriter> arguments,
        long resultsMax,
        List<MemorySegment> resultTargets,
        OptionalInt xid) {
    /** The most that {@code resultsMax} may be, in bytes: 1 GiB. */
    public static final long RESULTS_BYTES_MAX = 1L << 30;

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

    /** A call whose XID the transport picks. */
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

    /** A call without bulk results. */
    public RpcCall(
            int program,
            int version,
            int procedure,
            Consumer<XdrWriter> arguments,
            long resultsMax) {
        this(program, version, procedure, arguments, resultsMax, List.of());
    }

    /** This call, with an XID. */
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
