package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.gss.GssFlavor;
import io.github.rpcrdma4j.oncrpc.spi.CallEnd;
import io.github.rpcrdma4j.oncrpc.spi.CallHandler;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.oncrpc.spi.PassedCall;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.oncrpc.spi.RpcTransport;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.IntPredicate;

/**
 * Passes the calls of one connection to another one, and the replies back. Credentials, verifiers,
 * arguments and results stay as they are. Thread-safe.
 *
 * <p>A call may have run although its reply is lost, so this class invents no error for such a
 * call: it closes the connection of the caller.
 */
final class PassedCalls implements CallHandler {
    private static final FailureLog FAILURES =
            new FailureLog(System.getLogger(PassedCalls.class.getName()));

    private final Target target;
    private final Rules rules;
    private final CallRoom.Share share;
    private final Consumer<String> close;
    private final Set<Integer> outstanding = ConcurrentHashMap.newKeySet();

    /** Where the calls go. */
    interface Target {
        /** Returns the connection; null if there is none yet. Once there is one, it stays. */
        RpcTransport now();

        /**
         * Returns the connection, which is opened if there is none yet.
         *
         * @throws RpcException if there is none
         */
        RpcTransport await() throws RpcException, InterruptedException;

        /** Returns a target that is connected. */
        static Target connected(RpcTransport transport) {
            return new Target() {
                @Override
                public RpcTransport now() {
                    return transport;
                }

                @Override
                public RpcTransport await() {
                    return transport;
                }
            };
        }
    }

    /**
     * How calls pass.
     *
     * @param programs the programs whose calls pass
     * @param xids the XIDs that the calls have on the other connection
     */
    record Rules(IntPredicate programs, UpstreamXids xids, GatewayLimits limits) {
        LoweredLimits lowered() {
            return new LoweredLimits(limits.messageMax());
        }
    }

    /**
     * @param target the connection to which the calls go
     * @param share the room for the calls
     * @param close closes the connection of the caller, with a reason
     */
    PassedCalls(RpcTransport target, Rules rules, CallRoom.Share share, Consumer<String> close) {
        this(Target.connected(target), rules, share, close);
    }

    /**
     * @param target the connection to which the calls go, which may be opened later
     * @param share the room for the calls
     * @param close closes the connection of the caller, with a reason
     */
    PassedCalls(Target target, Rules rules, CallRoom.Share share, Consumer<String> close) {
        this.target = target;
        this.rules = rules;
        this.share = share;
        this.close = close;
    }

    @Override
    public boolean runsOnReader(CallHeader call) {
        return false;
    }

    @Override
    public boolean isUsuallyQuick(CallHeader call, XdrReader arguments) {
        return false;
    }

    @Override
    public CallThreads.Kind kind(CallHeader call, boolean movesLittle) {
        return CallThreads.Kind.VIRTUAL;
    }

    @Override
    public boolean wrapsData(CallHeader call) {
        return GssFlavor.wrapsData(call.credential());
    }

    @Override
    public long bytesAheadMax() {
        return GatewayLimits.BYTES_AHEAD;
    }

    @Override
    public boolean mayBegin(CallHeader call) {
        var server = target.now();
        return server != null && server.begins() && refusal(call).isEmpty();
    }

    @Override
    public boolean begin(
            CallHeader header,
            XdrReader call,
            InetSocketAddress peer,
            SegmentPool pool,
            XdrWriter reply,
            CallEnd end) {
        int xid = header.xid();
        if (!outstanding.add(xid)) {
            return false;
        }
        boolean isBegun = false;
        try {
            var planned = PlannedCall.of(header, call.peek());
            // A call that may be refused may have to be made again, by a thread that waits.
            isBegun =
                    !(target.now().placesResults() && planned.mayTryLonger())
                            && !planned.mayReturnMuch()
                            && begin(header, planned, pool, reply, end);
        } catch (XdrException _) {
            // The dispatch refuses it.
        } finally {
            if (!isBegun) {
                outstanding.remove(xid);
            }
        }
        return isBegun;
    }

    private boolean begin(
            CallHeader header,
            PlannedCall planned,
            SegmentPool pool,
            XdrWriter reply,
            CallEnd end) {
        var begun =
                new BegunPass(
                        header,
                        rules.xids().of(header),
                        rules.lowered(),
                        planned,
                        planned.room(resultsMax(), target.now().placesResults()),
                        new HeldByCall(share, pool),
                        reply,
                        close,
                        isAnswered -> {
                            outstanding.remove(header.xid());
                            end.ended(isAnswered);
                        });
        var protection = PassedCall.of(header, wrapsData(header), () -> {});
        return begun.begin(target.now(), protection, rules.limits().callTimeout());
    }

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
        var refusal = refusal(header);
        if (refusal.isPresent()) {
            if (header.asksForTls()) {
                FAILURES.asksForTls(Gateway.HOSTS.identify(peer, Optional.empty()).client(), peer);
            }
            refusal.get().encode(reply);
            return true;
        }
        if (!outstanding.add(header.xid())) {
            // The caller sends a call again whose reply is still to come.
            return false;
        }
        try {
            var protection = PassedCall.of(header, wrapsData(header), passed);
            var planned = PlannedCall.of(header, call);
            target.await();
            return pass(header, planned, protection, pool, reply);
        } catch (XdrException _) {
            return refuse(header, AcceptStatus.GARBAGE_ARGS, reply);
        } catch (RpcException unreachable) {
            close.accept(unreachable.getMessage());
            return false;
        } finally {
            outstanding.remove(header.xid());
        }
    }

    /** Writes a refusal in place of what the reply has already; returns true. */
    static boolean refuse(CallHeader header, AcceptStatus status, XdrWriter reply) {
        reply.clear();
        new ReplyHeader.Refused(header.xid(), status).encode(reply);
        return true;
    }

    /**
     * Ends a call that was passed on and has no reply: writes a refusal in its place, or closes the
     * connection of the caller.
     *
     * @return whether there is a refusal
     */
    static boolean failed(
            CallHeader header, RpcException reason, XdrWriter reply, Consumer<String> close) {
        if (reason instanceof RpcException.TransportRefused) {
            // TCP has no form for RDMA_ERROR. The call has ended at the transport, and is not
            // repeated (RFC 8267-6.4.2-4, 8267-6.7.2-2).
            return refuse(header, AcceptStatus.SYSTEM_ERR, reply);
        }
        // Only the client decides what it sends again (RFC 8267-6.7.2-3).
        close.accept(reason.getMessage());
        return false;
    }

    /**
     * Closes the connection of the caller, because there is no memory for the reply to a call that
     * has run; returns false.
     */
    static boolean noMemory(BudgetExhaustedException none, Consumer<String> close) {
        close.accept("no memory for a reply: " + none.getMessage());
        return false;
    }

    /** Returns the answer to a call that the gateway does not pass on. */
    private Optional<ReplyHeader> refusal(CallHeader header) {
        int xid = header.xid();
        if (header.rpcVersion() != CallHeader.RPC_VERSION) {
            return Optional.of(
                    new ReplyHeader.RpcMismatch(
                            xid, CallHeader.RPC_VERSION, CallHeader.RPC_VERSION));
        }
        // Behind TLS, the other transport would go on without it.
        if (header.credential().isMalformed() || header.asksForTls()) {
            return Optional.of(new ReplyHeader.AuthError(xid, ReplyHeader.AUTH_BADCRED));
        }
        if (header.verifier().isMalformed()) {
            return Optional.of(new ReplyHeader.AuthError(xid, ReplyHeader.AUTH_BADVERF));
        }
        return rules.programs().test(header.program())
                ? Optional.empty()
                : Optional.of(new ReplyHeader.Refused(xid, AcceptStatus.PROG_UNAVAIL));
    }

    private boolean pass(
            CallHeader header,
            PlannedCall planned,
            PassedCall protection,
            SegmentPool pool,
            XdrWriter reply)
            throws InterruptedException {
        var room = planned.room(resultsMax(), target.now().placesResults());
        var held = new HeldByCall(share, pool);
        boolean isHandedOver = false;
        try {
            var answer =
                    answer(planned, rules.xids().of(header), protection, room, held).orElse(null);
            if (answer == null) {
                return refuse(header, AcceptStatus.SYSTEM_ERR, reply);
            }
            reply.uint32(header.xid()).uint32(ReplyHeader.REPLY);
            reply.whenDone(held::close);
            isHandedOver = true;
            planned.writeReply(answer.results(), room, rules.lowered(), reply);
            return true;
        } catch (RpcException reason) {
            return failed(header, reason, reply, close);
        } catch (BudgetExhaustedException none) {
            return noMemory(none, close);
        } finally {
            if (!isHandedOver) {
                held.close();
            }
        }
    }

    private long resultsMax() {
        return Math.min(rules.limits().resultsMax(), target.now().resultsMax());
    }

    /**
     * Makes the call; a second time with the most memory if the binding allows that, because the
     * reply did not fit (RFC 8267, Section 3.1).
     *
     * @return the reply; empty if nothing was sent, because the call or its reply cannot fit the
     *     other connection, as with calls back over RDMA, or there was no memory for them in time
     */
    private Optional<RpcReply> answer(
            PlannedCall planned,
            int xid,
            PassedCall protection,
            PlannedCall.Room room,
            HeldByCall held)
            throws RpcException, InterruptedException {
        try {
            try {
                return Optional.of(
                        held.call(
                                room,
                                targets ->
                                        call(
                                                planned.call(room, targets).withXid(xid),
                                                protection)));
            } catch (RpcException.TransportRefused refused) {
                long most = resultsMax();
                if (!planned.mayTryLonger() || room.resultsMax() >= most) {
                    throw refused;
                }
                // Calls that kept their room could wait for that of each other.
                held.close();
                var longer = new PlannedCall.Room(most, room.targets());
                return Optional.of(
                        held.call(
                                longer,
                                targets -> call(planned.call(longer, targets), protection)));
            }
        } catch (IllegalArgumentException | BudgetExhaustedException _) {
            return Optional.empty();
        }
    }

    private RpcReply call(RpcCall call, PassedCall protection)
            throws RpcException, InterruptedException {
        return target.now().call(call, protection, rules.limits().callTimeout());
    }
}
