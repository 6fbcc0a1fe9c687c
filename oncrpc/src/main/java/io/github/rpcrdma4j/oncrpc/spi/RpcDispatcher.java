package io.github.rpcrdma4j.oncrpc.spi;

import static io.github.rpcrdma4j.oncrpc.spi.ServedPrograms.descriptor;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.PeerIdentifier;
import io.github.rpcrdma4j.oncrpc.PeerIdentity;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor.Cost;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.spi.CallStatistics.End;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Passes calls from all transports to the served programs, and writes the replies that RFC 5531,
 * Section 9, requires. A call that is not repeatable is carried out once while the server remembers
 * it, even if it arrives several times or over several transports. Thread-safe.
 */
public final class RpcDispatcher implements CallHandler, CallService {
    private final ServedPrograms programs;
    private final List<Authenticator> authenticators;
    private final DuplicateRequests duplicates;
    private final CallStatistics statistics;
    private final PeerIdentifier identifier;
    private final FailureLog failures =
            new FailureLog(System.getLogger(RpcDispatcher.class.getName()));

    /**
     * Creates a dispatcher for callers without authentication: AUTH_NONE and AUTH_SYS.
     *
     * @param programs may hold a program several times, for versions that do not overlap
     * @throws IllegalArgumentException if versions of a program overlap
     */
    public RpcDispatcher(Collection<? extends RpcProgram> programs) {
        this(programs, List.of());
    }

    /**
     * Creates a dispatcher for callers of several flavors.
     *
     * @param programs may hold a program several times, for versions that do not overlap
     * @param authenticators for the flavors that the server accepts beside AUTH_NONE and AUTH_SYS
     * @throws IllegalArgumentException if versions of a program overlap
     */
    public RpcDispatcher(
            Collection<? extends RpcProgram> programs,
            Collection<? extends Authenticator> authenticators) {
        this(programs, authenticators, System::nanoTime);
    }

    /**
     * @param programs may hold a program several times, for versions that do not overlap
     * @param authenticators for the flavors that the server accepts beside AUTH_NONE and AUTH_SYS
     * @param clock the clock by which kept replies age, in nanoseconds of any origin
     */
    RpcDispatcher(
            Collection<? extends RpcProgram> programs,
            Collection<? extends Authenticator> authenticators,
            LongSupplier clock) {
        this(new ServedPrograms(programs), authenticators, new DuplicateRequests(clock));
    }

    private RpcDispatcher(
            ServedPrograms programs,
            Collection<? extends Authenticator> authenticators,
            DuplicateRequests duplicates) {
        this(programs, authenticators, duplicates, new CallStatistics(programs.ids()));
    }

    private RpcDispatcher(
            ServedPrograms programs,
            Collection<? extends Authenticator> authenticators,
            DuplicateRequests duplicates,
            CallStatistics statistics) {
        this.programs = programs;
        this.authenticators = List.copyOf(authenticators);
        this.duplicates = duplicates;
        this.statistics = statistics;
        this.identifier = programs.identifier();
    }

    /**
     * Looks at the header of a call without carrying it out.
     *
     * @param message the call message, or a view of its start that holds the whole header
     * @return empty if the message is not a call
     */
    public static Optional<CallHeader> peek(MemorySegment message) {
        try {
            return Optional.of(CallHeader.decode(new XdrReader(message)));
        } catch (XdrException _) {
            return Optional.empty();
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>Both dispatchers share the memory of carried-out calls, and their counters.
     *
     * @throws IllegalArgumentException if versions of a program overlap
     */
    @Override
    public RpcDispatcher with(RpcProgram program) {
        return new RpcDispatcher(programs.with(program), authenticators, duplicates, statistics);
    }

    /** Returns the live counters of all calls, over all transports that use this dispatcher. */
    public CallStatistics statistics() {
        return statistics;
    }

    @Override
    public PeerIdentifier identifier() {
        return identifier;
    }

    @Override
    public CallHandler connected(ServedPeer peer) {
        return of(peer.identity());
    }

    /** Returns the handler of a connection whose peer is known. */
    public CallHandler of(PeerIdentity peer) {
        return new IdentifiedCalls(this, peer);
    }

    @Override
    public boolean mayBlock() {
        return false;
    }

    /** Returns the flavors that every program accepts. */
    @Override
    public Set<SecurityFlavor> flavors() {
        return programs.flavors();
    }

    @Override
    public boolean wrapsData(CallHeader call) {
        var authenticator = authenticator(call);
        return authenticator != null && authenticator.wrapsData(call.credential());
    }

    @Override
    public List<UpperLayerBinding> bindings() {
        return programs.bindings();
    }

    @Override
    public boolean runsOnReader(CallHeader call) {
        if (authenticator(call) != null) {
            return false;
        }
        var program = programs.find(call);
        // A refusal is cheap.
        return program == null || descriptor(program, call).cost() == Cost.NEGLIGIBLE;
    }

    @Override
    public boolean isUsuallyQuick(CallHeader call, XdrReader arguments) {
        var program = programs.find(call);
        return program != null
                && authenticator(call) == null
                && program.cost(call.version(), call.procedure(), arguments) != Cost.UNKNOWN;
    }

    @Override
    public CallThreads.Kind kind(CallHeader call, boolean movesLittle) {
        var program = programs.find(call);
        if (program == null || !descriptor(program, call).waitsInSystemCalls()) {
            return CallThreads.Kind.VIRTUAL;
        }
        return movesLittle && descriptor(program, call).cost() != Cost.UNKNOWN
                ? CallThreads.Kind.SHORT
                : CallThreads.Kind.LONG;
    }

    /**
     * Carries out a call from a transport without a reverse direction, and writes the whole reply
     * message.
     *
     * @param call positioned at the start of the call message
     * @param peer the address of the caller: one object for each connection
     * @param reply an empty writer; its bulk items are memory of the program, until the writer is
     *     closed
     * @return false if the peer gets no reply: the message is not a call, the call is dropped, or
     *     another connection gets its reply
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
        return dispatch(header, call, peer, pool, Optional.empty(), reply);
    }

    /**
     * {@inheritDoc}
     *
     * <p>There is no reply if the call is dropped, or if another connection gets its reply. The
     * peer is identified for this call alone: no connection tells who it is.
     */
    @Override
    public boolean dispatch(
            CallHeader header,
            XdrReader call,
            InetSocketAddress peer,
            SegmentPool pool,
            Optional<ReverseDirection> reverse,
            XdrWriter reply,
            Runnable passed)
            throws InterruptedException {
        var identity = identifier.identify(peer, Optional.empty());
        return dispatch(header, call, peer, identity, pool, reverse, reply);
    }

    boolean dispatch(
            CallHeader header,
            XdrReader call,
            InetSocketAddress peer,
            PeerIdentity identity,
            SegmentPool pool,
            Optional<ReverseDirection> reverse,
            XdrWriter reply)
            throws InterruptedException {
        statistics.countCall(programs.indexOf(header), header.procedure());
        var end = answer(header, call, peer, identity, pool, reverse, reply);
        statistics.countEnd(end);
        return end != End.DROPPED;
    }

    /** Carries a call out, or refuses it, and writes the reply if there is one. */
    private End answer(
            CallHeader header,
            XdrReader call,
            InetSocketAddress peer,
            PeerIdentity identity,
            SegmentPool pool,
            Optional<ReverseDirection> reverse,
            XdrWriter reply)
            throws InterruptedException {
        int xid = header.xid();
        if (header.rpcVersion() != CallHeader.RPC_VERSION) {
            new ReplyHeader.RpcMismatch(xid, CallHeader.RPC_VERSION, CallHeader.RPC_VERSION)
                    .encode(reply);
            return End.DENIED;
        }
        switch (admit(header, call, peer, identity)) {
            case Admission.Denied(var status) -> {
                new ReplyHeader.AuthError(xid, status).encode(reply);
                return End.DENIED;
            }
            case Admission.Dropped() -> {
                return End.DROPPED;
            }
            case Admission.Answered(var verifier, var results) -> {
                ReplyHeader.encodeSuccess(reply, xid, verifier);
                results.accept(reply);
                return End.SUCCESS;
            }
            case Admission.Garbled(var protection) -> {
                try (protection) {
                    refusal(header, protection, AcceptStatus.GARBAGE_ARGS).encode(reply);
                    return End.GARBAGE_ARGS;
                }
            }
            case Admission.Admitted(var caller, var arguments, var protection) -> {
                try (protection) {
                    var request =
                            new RpcRequest(
                                    header.version(),
                                    header.procedure(),
                                    caller,
                                    arguments,
                                    peer,
                                    identity,
                                    pool,
                                    reverse);
                    return run(header, request, protection, reply);
                }
            }
        }
    }

    /** Returns the authenticator for the flavor of the call, or null if there is none. */
    private Authenticator authenticator(CallHeader call) {
        int flavor = call.credential().flavor();
        for (int i = 0; i < authenticators.size(); i++) {
            if (authenticators.get(i).flavor() == flavor) {
                return authenticators.get(i);
            }
        }
        return null;
    }

    private Admission admit(
            CallHeader header, XdrReader arguments, InetSocketAddress peer, PeerIdentity identity) {
        var authenticator = authenticator(header);
        if (authenticator != null) {
            return header.verifier() == RawAuth.MALFORMED
                    ? new Admission.Denied(ReplyHeader.AUTH_BADVERF)
                    : authenticator.admit(header, arguments, identity.client());
        }
        Optional<Credential> credential;
        try {
            credential = header.credential().credential();
        } catch (XdrException _) {
            return new Admission.Denied(ReplyHeader.AUTH_BADCRED);
        }
        if (credential.isEmpty()) {
            if (header.asksForTls()) {
                failures.asksForTls(identity.client(), peer);
            }
            return new Admission.Denied(ReplyHeader.AUTH_REJECTEDCRED);
        }
        if (header.verifier() == RawAuth.MALFORMED) {
            // Without an authenticator, the verifier of a call carries no further meaning.
            return new Admission.Denied(ReplyHeader.AUTH_BADVERF);
        }
        return new Admission.Admitted(credential.get(), arguments, ReplyProtection.NONE);
    }

    /** Carries out an admitted call. */
    private End run(
            CallHeader header, RpcRequest request, ReplyProtection protection, XdrWriter reply)
            throws InterruptedException {
        var program = programs.find(header);
        if (program == null) {
            var refusal = versionsServed(header, protection);
            refusal.encode(reply);
            return End.of(refusal.acceptStatus().orElseThrow());
        }
        boolean acceptsFlavor =
                !descriptor(program, header).guarded()
                        || program.flavors().contains(request.credential().flavor());
        if (!acceptsFlavor || !program.admits(request.peer(), header.procedure())) {
            new ReplyHeader.AuthError(header.xid(), ReplyHeader.AUTH_TOOWEAK).encode(reply);
            return End.DENIED;
        }
        ReplyHeader.encodeSuccess(reply, header.xid(), protection.verifier());
        Optional<AcceptStatus> status;
        if (protection.wrapsData()) {
            try (var results = new XdrWriter(request.pool())) {
                status = results(program, header, request, results);
                if (status.equals(Optional.of(AcceptStatus.SUCCESS))) {
                    status = Optional.of(protection.wrap(results, reply));
                }
            }
        } else {
            status = results(program, header, request, reply);
        }
        if (status.isPresent() && status.get() != AcceptStatus.SUCCESS) {
            reply.clear();
            refusal(header, protection, status.get()).encode(reply);
        }
        return status.isPresent() ? End.of(status.get()) : End.DROPPED;
    }

    /** Carries out the call, or writes its kept reply. Returns empty if the call gets no reply. */
    private Optional<AcceptStatus> results(
            RpcProgram program, CallHeader header, RpcRequest request, XdrWriter results)
            throws InterruptedException {
        return descriptor(program, header).repeatable() || program.isRepeatable(request)
                ? Optional.of(run(program, header, request, results))
                : duplicates.execute(
                        header,
                        request,
                        program.carriedOutFor(request),
                        results,
                        () -> run(program, header, request, results));
    }

    private ReplyHeader refusal(
            CallHeader header, ReplyProtection protection, AcceptStatus status) {
        return status == AcceptStatus.PROG_MISMATCH
                ? versionsServed(header, protection)
                : new ReplyHeader.Refused(header.xid(), protection.verifier(), status);
    }

    private AcceptStatus run(
            RpcProgram program, CallHeader header, RpcRequest request, XdrWriter reply)
            throws InterruptedException {
        try {
            return Objects.requireNonNull(program.call(request, reply), "accept_stat");
        } catch (XdrException undecoded) {
            // The reply has no room for the reason.
            failures.warn(
                    request.identity().client(),
                    "the arguments of " + header.procedureName() + " cannot be decoded",
                    HostPort.bracketed(request.peer().getHostString())
                            + ": "
                            + undecoded.getMessage());
            return AcceptStatus.GARBAGE_ARGS;
        } catch (RuntimeException | Error broken) {
            // A mistake of the program fails one call only.
            failures.report(
                    ProgramId.name(header.program())
                            + " failed in procedure "
                            + Integer.toUnsignedString(header.procedure()),
                    broken);
            return AcceptStatus.SYSTEM_ERR;
        }
    }

    private ReplyHeader versionsServed(CallHeader call, ReplyProtection protection) {
        var versions = programs.versionsOf(call);
        if (versions.isEmpty()) {
            return refusal(call, protection, AcceptStatus.PROG_UNAVAIL);
        }
        return new ReplyHeader.ProgramMismatch(
                call.xid(),
                protection.verifier(),
                versions.stream()
                        .map(ProgramId::lowestVersion)
                        .min(Integer::compareUnsigned)
                        .orElseThrow(),
                versions.stream()
                        .map(ProgramId::highestVersion)
                        .max(Integer::compareUnsigned)
                        .orElseThrow());
    }
}
