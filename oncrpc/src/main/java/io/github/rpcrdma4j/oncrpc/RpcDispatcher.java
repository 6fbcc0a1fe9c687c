package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.SegmentPool;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Hands calls to the programs that are served, whatever transport they came by. Immutable;
 * thread-safe.
 */
public final class RpcDispatcher {
    private static final Logger LOG = System.getLogger(RpcDispatcher.class.getName());

    private final List<RpcProgram> programs;

    public RpcDispatcher(Collection<? extends RpcProgram> programs) {
        this.programs = List.copyOf(programs);
    }

    /**
     * Looks at the header of a call without carrying it out.
     *
     * @param message the call message; a view is enough that holds its header
     * @return empty if it is not a call
     */
    public static Optional<CallHeader> peek(MemorySegment message) {
        try {
            return Optional.of(CallHeader.decode(new XdrReader(message)));
        } catch (XdrException _) {
            return Optional.empty();
        }
    }

    /** Whether the thread that reads the connection may carry out this call. */
    public boolean runsOnReader(CallHeader call) {
        for (var program : programs) {
            if (program.program() == call.program()) {
                return program.runsOnReader(call.version(), call.procedure());
            }
        }
        return true;
    }

    /**
     * Carries out a call and writes the whole reply message.
     *
     * @param call stands at the start of the call message
     * @param reply an empty writer; its bulk items are the program's memory until it is closed
     * @return false if nothing is owed to the peer: what came is not a call
     * @throws InterruptedException if the program was interrupted; there is no reply
     */
    public boolean dispatch(
            XdrReader call, InetSocketAddress peer, SegmentPool pool, XdrWriter reply)
            throws InterruptedException {
        CallHeader header;
        try {
            header = CallHeader.decode(call);
        } catch (XdrException _) {
            return false;
        }
        if (header.rpcVersion() != CallHeader.RPC_VERSION) {
            new ReplyHeader.RpcMismatch(
                            header.xid(), CallHeader.RPC_VERSION, CallHeader.RPC_VERSION)
                    .encode(reply);
            return true;
        }
        Credential credential;
        try {
            var understood = header.credential().credential();
            if (understood.isEmpty()) {
                new ReplyHeader.AuthError(header.xid(), ReplyHeader.AUTH_TOOWEAK).encode(reply);
                return true;
            }
            credential = understood.get();
        } catch (XdrException _) {
            new ReplyHeader.AuthError(header.xid(), ReplyHeader.AUTH_BADCRED).encode(reply);
            return true;
        }
        var request =
                new RpcRequest(header.version(), header.procedure(), credential, call, peer, pool);
        run(header, request, reply);
        return true;
    }

    private void run(CallHeader header, RpcRequest request, XdrWriter reply)
            throws InterruptedException {
        int lowest = -1;
        int highest = 0;
        for (var program : programs) {
            if (program.program() != header.program()) {
                continue;
            }
            if (serves(program, header.version())) {
                run(program, header, request, reply);
                return;
            }
            lowest = lower(lowest, program.lowestVersion());
            highest = higher(highest, program.highestVersion());
        }
        if (lowest == -1) {
            new ReplyHeader.Refused(header.xid(), AcceptStatus.PROG_UNAVAIL).encode(reply);
        } else {
            new ReplyHeader.ProgramMismatch(header.xid(), lowest, highest).encode(reply);
        }
    }

    private static void run(
            RpcProgram program, CallHeader header, RpcRequest request, XdrWriter reply)
            throws InterruptedException {
        new ReplyHeader.Success(header.xid()).encode(reply);
        AcceptStatus status;
        try {
            status = program.call(request, reply);
        } catch (XdrException _) {
            status = AcceptStatus.GARBAGE_ARGS;
        } catch (RuntimeException broken) {
            LOG.log(
                    Level.ERROR,
                    () ->
                            "program "
                                    + Integer.toUnsignedString(header.program())
                                    + " failed in procedure "
                                    + Integer.toUnsignedString(header.procedure()),
                    broken);
            status = AcceptStatus.SYSTEM_ERR;
        }
        if (status != AcceptStatus.SUCCESS) {
            reply.clear();
            new ReplyHeader.Refused(header.xid(), status).encode(reply);
        }
    }

    private static boolean serves(RpcProgram program, int version) {
        return Integer.compareUnsigned(version, program.lowestVersion()) >= 0
                && Integer.compareUnsigned(version, program.highestVersion()) <= 0;
    }

    private static int lower(int one, int other) {
        return Integer.compareUnsigned(one, other) <= 0 ? one : other;
    }

    private static int higher(int one, int other) {
        return Integer.compareUnsigned(one, other) >= 0 ? one : other;
    }
}
