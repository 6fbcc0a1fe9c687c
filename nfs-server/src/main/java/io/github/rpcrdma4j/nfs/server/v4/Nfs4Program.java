package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.driver.Connections;
import io.github.rpcrdma4j.nfs.server.driver.DelegatedFiles;
import io.github.rpcrdma4j.nfs.server.driver.StateNotices;
import io.github.rpcrdma4j.nfs.server.served.CallerPlace;
import io.github.rpcrdma4j.nfs.server.served.Callers;
import io.github.rpcrdma4j.nfs.server.served.Client;
import io.github.rpcrdma4j.nfs.server.served.Exports;
import io.github.rpcrdma4j.nfs.state.event.Principal;
import io.github.rpcrdma4j.nfs.state.event.Sender;
import io.github.rpcrdma4j.nfs.v4.CompoundCall;
import io.github.rpcrdma4j.nfs.v4.CompoundKind;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.PeerIdentifier;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor.Cost;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.share.CallerHost;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/**
 * The NFS version 4 program, minor versions 0 to 2. It takes calls of any flavor, because clients
 * and sessions belong to no export; each export checks the flavor of its operations. A host that no
 * export has a rule for makes no clients: its calls are denied. EXCHANGE_ID has no error of version
 * 4 for that (RFC 8881, Section 15.2).
 *
 * <p>Tests: {@code SecurePortsTest}, {@code Nfs40Test}.
 */
public final class Nfs4Program implements RpcProgram {
    /** See {@link #isRepeatable}. */
    private static final ProcedureDescriptor COMPOUND =
            ProcedureDescriptor.ORDINARY.waitingInSystemCalls().unguarded();

    private final Exports exports;
    private final Connections connections;
    private final Callers callers;
    private final StateNotices notices;
    private final DelegatedFiles delegated;
    private final Compounds compounds;

    Nfs4Program(
            Exports exports,
            Connections connections,
            Callers callers,
            StateNotices notices,
            DelegatedFiles delegated,
            Compounds compounds) {
        this.exports = exports;
        this.connections = connections;
        this.callers = callers;
        this.notices = notices;
        this.delegated = delegated;
        this.compounds = compounds;
    }

    @Override
    public ProgramId id() {
        return new ProgramId(Nfs4Binding.PROGRAM, Nfs4Binding.VERSION);
    }

    @Override
    public Optional<PeerIdentifier> identifier() {
        return Optional.of(callers.identifier());
    }

    @Override
    public ProcedureDescriptor procedure(int version, int procedure) {
        return switch (procedure) {
            case 0 -> ProcedureDescriptor.NULL;
            case Nfs4Binding.COMPOUND -> COMPOUND;
            default -> ProcedureDescriptor.UNAVAILABLE;
        };
    }

    /**
     * {@inheritDoc}
     *
     * <p>A session recognizes repeated COMPOUNDs, and the effect of some belongs to their
     * connection. Minor version 0 has no sessions.
     */
    @Override
    public boolean isRepeatable(RpcRequest request) {
        var minorVersion = CompoundCall.minorVersion(request.arguments().peek());
        return minorVersion.isEmpty()
                || minorVersion.getAsInt() != 0
                || CompoundCall.walk(CompoundKind.COMPOUND, request.arguments().peek())
                        .isRepeatable();
    }

    @Override
    public Cost cost(int version, int procedure, XdrReader arguments) {
        return procedure == Nfs4Binding.COMPOUND
                ? CompoundCost.of(arguments, delegated.mayAskClients())
                : procedure(version, procedure).cost();
    }

    @Override
    public List<UpperLayerBinding> bindings() {
        return List.of(Nfs4Binding.BINDING);
    }

    @Override
    public boolean admits(InetSocketAddress peer, int procedure) {
        boolean isAdmitted = procedure == 0 || exports.include(peer.getAddress());
        if (!isAdmitted) {
            notices.denied(peer.getAddress());
        }
        return isAdmitted;
    }

    @Override
    public String carriedOutFor(RpcRequest request) {
        return callers.nameOf(request);
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results)
            throws XdrException, InterruptedException {
        return switch (request.procedure()) {
            case 0 -> {
                request.arguments().finish();
                yield AcceptStatus.SUCCESS;
            }
            case Nfs4Binding.COMPOUND -> {
                var client = callers.of(request);
                compounds.run(request, client, sender(request, client), results);
                yield AcceptStatus.SUCCESS;
            }
            default -> AcceptStatus.PROC_UNAVAIL;
        };
    }

    private Sender sender(RpcRequest request, Client client) {
        var host = new CallerHost(request.client());
        // Where a rule believes ports, those of users are not where the host's own client is: no
        // user of the host ends or takes over what that client has.
        boolean isApart = !client.isPrivileged() && exports.trustPorts(request.peer().getAddress());
        var whole = CallerPlace.ofClient(request.peer().getAddress(), request.identity());
        var place = isApart ? whole + ", port of a user" : whole;
        var flavor = request.credential().flavor();
        var isProtected = flavor == SecurityFlavor.KRB5I || flavor == SecurityFlavor.KRB5P;
        return new Sender(
                new Principal(callers.nameOf(request)),
                isProtected,
                connections.of(request),
                host,
                place);
    }
}
