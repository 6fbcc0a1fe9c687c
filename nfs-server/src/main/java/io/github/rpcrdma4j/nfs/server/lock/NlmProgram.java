package io.github.rpcrdma4j.nfs.server.lock;

import io.github.rpcrdma4j.nfs.lock.Nlm;
import io.github.rpcrdma4j.nfs.lock.NlmCall;
import io.github.rpcrdma4j.nfs.lock.NlmProcedure;
import io.github.rpcrdma4j.nfs.lock.NlmReply;
import io.github.rpcrdma4j.nfs.server.driver.HostLocks;
import io.github.rpcrdma4j.nfs.server.served.Callers;
import io.github.rpcrdma4j.nfs.server.served.Exports;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.PeerIdentifier;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A version of the NLM program: 4, beside NFS version 3, or 1 or 3, beside NFS version 2. The rules
 * of the exports apply.
 *
 * <p>Tests: {@code NlmTest}.
 */
final class NlmProgram implements RpcProgram {
    private static final ProcedureDescriptor CHANGES =
            ProcedureDescriptor.ORDINARY.waitingInSystemCalls();

    private static final ProcedureDescriptor READS = CHANGES.withRepeatable(true);

    private final int version;
    private final Exports exports;
    private final Set<SecurityFlavor> accepted;
    private final Callers callers;
    private final LockProcedures procedures;
    private final NlmCallbacks callbacks;
    private final RestartClaims claims;

    /**
     * @param version 1, 3 or 4
     * @param accepted the flavors that at least one export accepts
     */
    NlmProgram(
            int version,
            Exports exports,
            Set<SecurityFlavor> accepted,
            Callers callers,
            LockProcedures procedures,
            NlmCallbacks callbacks,
            RestartClaims claims) {
        this.version = version;
        this.exports = exports;
        this.accepted = accepted;
        this.callers = callers;
        this.procedures = procedures;
        this.callbacks = callbacks;
        this.claims = claims;
    }

    @Override
    public ProgramId id() {
        return new ProgramId(Nlm.PROGRAM, version);
    }

    @Override
    public Optional<PeerIdentifier> identifier() {
        return Optional.of(callers.identifier());
    }

    @Override
    public Set<SecurityFlavor> flavors() {
        return accepted;
    }

    @Override
    public boolean admits(InetSocketAddress peer, int procedure) {
        return procedure == 0 || exports.include(peer.getAddress());
    }

    @Override
    public ProcedureDescriptor procedure(int servedVersion, int procedure) {
        var known = NlmProcedure.of(version, procedure);
        if (known.isEmpty()) {
            return ProcedureDescriptor.UNAVAILABLE;
        }
        return switch (known.get()) {
            case NULL -> ProcedureDescriptor.NULL;
            case TEST, TEST_MSG -> READS;
            case LOCK, CANCEL, UNLOCK, LOCK_MSG, CANCEL_MSG, UNLOCK_MSG -> CHANGES;
            case SHARE, UNSHARE, NM_LOCK, FREE_ALL -> CHANGES;
            case GRANTED, GRANTED_MSG -> READS;
            case TEST_RES, LOCK_RES, CANCEL_RES, UNLOCK_RES, GRANTED_RES -> READS;
        };
    }

    @Override
    public List<UpperLayerBinding> bindings() {
        return List.of(
                switch (version) {
                    case 1 -> Nlm.VERSION_1;
                    case 3 -> Nlm.VERSION_3;
                    default -> Nlm.VERSION_4;
                });
    }

    @Override
    public String carriedOutFor(RpcRequest request) {
        return callers.nameOf(request);
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results)
            throws XdrException, InterruptedException {
        var known = NlmProcedure.of(version, request.procedure());
        if (known.isEmpty()) {
            return AcceptStatus.PROC_UNAVAIL;
        }
        var procedure = known.get();
        var in = request.arguments();
        switch (procedure) {
            case NULL -> in.finish();
            // The server asks by GRANTED, so it waits for no results.
            case TEST_RES, LOCK_RES, CANCEL_RES, UNLOCK_RES, GRANTED_RES ->
                    NlmReply.decode(version, procedure, in);
            case FREE_ALL -> {
                var call = (NlmCall.FreeAll) NlmCall.decode(version, procedure, in);
                if (!claims.take(request, true, call.host(), call.state())) {
                    return AcceptStatus.SYSTEM_ERR;
                }
            }
            case TEST, LOCK, CANCEL, UNLOCK, GRANTED, SHARE, UNSHARE, NM_LOCK ->
                    reply(procedure, request).encode(version, results);
            case TEST_MSG -> send(procedure, NlmProcedure.TEST_RES, request);
            case LOCK_MSG -> send(procedure, NlmProcedure.LOCK_RES, request);
            case CANCEL_MSG -> send(procedure, NlmProcedure.CANCEL_RES, request);
            case UNLOCK_MSG -> send(procedure, NlmProcedure.UNLOCK_RES, request);
            case GRANTED_MSG -> send(procedure, NlmProcedure.GRANTED_RES, request);
        }
        return AcceptStatus.SUCCESS;
    }

    private void send(NlmProcedure procedure, NlmProcedure results, RpcRequest request)
            throws XdrException, InterruptedException {
        var reply = reply(procedure, request);
        callbacks.send(HostLocks.place(request), target(request), version, results, reply);
    }

    /** The caller is called at its own address alone. */
    private static HostCalls.Target target(RpcRequest request) {
        return new HostCalls.Target(
                request.peer().getAddress(),
                request.reverse()
                        .flatMap(ReverseDirection::localAddress)
                        .map(InetSocketAddress::getAddress));
    }

    private NlmReply reply(NlmProcedure procedure, RpcRequest request)
            throws XdrException, InterruptedException {
        var call = NlmCall.decode(version, procedure, request.arguments());
        var client = callers.of(request);
        return procedures.carryOut(version, call, client, target(request));
    }
}
