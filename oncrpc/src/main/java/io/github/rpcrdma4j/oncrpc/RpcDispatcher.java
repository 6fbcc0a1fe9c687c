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
import java.util.Objects;
import java.util.Optional;

/**
 * Hands calls to the programs that are served, whatever transport they came by, and says for each
 * what RFC 5531, Section 9, owes its caller. Immutable; thread-safe.
 */
public final class RpcDispatcher {
    private static final Logger LOG = System.getLogger(RpcDispatcher.class.getName());

    private final List<RpcProgram> programs;

    /**
     * @param programs may hold a program several times, for versions that do not overlap
     */
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
        var program = find(call);
        // A refusal is cheap.
        return program.isEmpty() || program.get().runsOnReader(call.version(), call.procedure());
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
        int xid = header.xid();
        if (header.rpcVersion() != CallHeader.RPC_VERSION) {
            new ReplyHeader.RpcMismatch(xid, CallHeader.RPC_VERSION, CallHeader.RPC_VERSION)
                    .encode(reply);
            return true;
        }
        Optional<Credential> credential;
        try {
            credential = header.credential().credential();
        } catch (XdrException _) {
            new ReplyHeader.AuthError(xid, ReplyHeader.AUTH_BADCRED).encode(reply);
            return true;
        }
        if (credential.isEmpty()) {
            new ReplyHeader.AuthError(xid, ReplyHeader.AUTH_REJECTEDCRED).encode(reply);
        } else if (header.verifier() == RawAuth.MALFORMED) {
            // No flavor served here has a verifier of calls that means more.
            new ReplyHeader.AuthError(xid, ReplyHeader.AUTH_BADVERF).encode(reply);
        } else {
            var request =
                    new RpcRequest(
                            header.version(),
                            header.procedure(),
                            credential.get(),
                            call,
                            peer,
                            pool);
            run(header, request, reply);
        }
        return true;
    }

    private void run(CallHeader header, RpcRequest request, XdrWriter reply)
            throws InterruptedException {
        var program = find(header);
        if (program.isEmpty()) {
            versionsServed(header).encode(reply);
            return;
        }
        new ReplyHeader.Success(header.xid()).encode(reply);
        var status = run(program.get(), header, request, reply);
        if (status != AcceptStatus.SUCCESS) {
            reply.clear();
            var refusal =
                    status == AcceptStatus.PROG_MISMATCH
                            ? versionsServed(header)
                            : new ReplyHeader.Refused(header.xid(), status);
            refusal.encode(reply);
        }
    }

    private static AcceptStatus run(
            RpcProgram program, CallHeader header, RpcRequest request, XdrWriter reply)
            throws InterruptedException {
        try {
            return Objects.requireNonNull(program.call(request, reply), "accept_stat");
        } catch (XdrException _) {
            return AcceptStatus.GARBAGE_ARGS;
        } catch (RuntimeException | Error broken) {
            // The program's mistake costs its caller an answer, and nobody else anything.
            LOG.log(
                    Level.ERROR,
                    () ->
                            "program "
                                    + Integer.toUnsignedString(header.program())
                                    + " failed in procedure "
                                    + Integer.toUnsignedString(header.procedure()),
                    broken);
            return AcceptStatus.SYSTEM_ERR;
        }
    }

    private Optional<RpcProgram> find(CallHeader call) {
        for (var program : programs) {
            if (program.program() == call.program()
                    && Integer.compareUnsigned(call.version(), program.lowestVersion()) >= 0
                    && Integer.compareUnsigned(call.version(), program.highestVersion()) <= 0) {
                return Optional.of(program);
            }
        }
        return Optional.empty();
    }

    private ReplyHeader versionsServed(CallHeader call) {
        var versions =
                programs.stream().filter(program -> program.program() == call.program()).toList();
        if (versions.isEmpty()) {
            return new ReplyHeader.Refused(call.xid(), AcceptStatus.PROG_UNAVAIL);
        }
        return new ReplyHeader.ProgramMismatch(
                call.xid(),
                versions.stream()
                        .map(RpcProgram::lowestVersion)
                        .min(Integer::compareUnsigned)
                        .orElseThrow(),
                versions.stream()
                        .map(RpcProgram::highestVersion)
                        .max(Integer::compareUnsigned)
                        .orElseThrow());
    }
}
