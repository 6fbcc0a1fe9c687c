package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.v4.plan.Answer;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.client.v4.session.BackSlots;
import io.github.rpcrdma4j.nfs.client.v4.session.SessionRefused;
import io.github.rpcrdma4j.nfs.client.v4.session.SlotTable;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackSecurity;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult;
import io.github.rpcrdma4j.nfs.v4.operation.StateProtection;
import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Makes and ends sessions at a server, by calls that have no session (RFC 8881, Sections 18.34 to
 * 18.37). The client keeps its name for as long as it lives, and a random one, because two clients
 * of one name end each other's state: those of two containers would, if their host and process had
 * the same.
 *
 * <p>Tests: {@code Nfs4SessionTest}.
 */
final class ServerSessions {
    /** The longest payload of a call. */
    private static final int DATA_MAX = 1 << 20;

    /** The longest reply that the server is to keep; all plans that need it are shorter. */
    private static final int CACHED_MAX = 4096;

    private static final int OPERATIONS = 64;

    /** As many as the plans of one file have. */
    private static final int OPERATIONS_MIN = 8;

    private static final ChannelAttributes FORE =
            new ChannelAttributes(
                    0,
                    DATA_MAX + Compounds.BESIDE_DATA,
                    DATA_MAX + Compounds.BESIDE_DATA,
                    CACHED_MAX,
                    OPERATIONS,
                    SlotTable.SLOTS_MAX,
                    OptionalInt.empty());

    /** The longest callback that this side takes. */
    private static final int CALLBACK_MAX = 4096;

    /** The least length of callbacks with which servers make a back channel. */
    private static final int CALLBACK_MIN = 1200;

    /** The most bytes of results: names of the server, and of its implementation. */
    private static final int EXCHANGE_MAX = 6 * 1024;

    private static final int CREATE_MAX = 128;

    private final Compounds compounds;
    private final ClientOwner owner;
    private final Duration timeout;

    ServerSessions(Compounds compounds, ClientOwner owner, Duration timeout) {
        this.compounds = compounds;
        this.owner = owner;
        this.timeout = timeout;
    }

    /**
     * A client at a server.
     *
     * @param sequence the number of its next CREATE_SESSION
     * @param scope of the server: another one has other state
     */
    record KnownClient(long id, int sequence, OpaqueName scope) {
        private KnownClient withNextSequence() {
            return new KnownClient(id, sequence + 1, scope);
        }
    }

    /**
     * A session that the server has made.
     *
     * @param callbackMax the most bytes of a callback; empty if there are none
     */
    record Made(SessionId id, ChannelAttributes fore, OptionalInt callbackMax, KnownClient client) {
        /** Returns the most bytes of results of a call (RFC 8267-6.2.2-1). */
        long resultsMax() {
            return Integer.toUnsignedLong(fore.responseMax()) - ReplyHeader.ACCEPTED_BYTES;
        }
    }

    /**
     * Tells the server who this client is.
     *
     * @param isNew whether the server cannot know it yet
     * @throws SessionRefused with {@link Nfs4Status#CLID_INUSE} if it does nevertheless: then the
     *     name is that of another client, whose state this one would share (RFC 8881, Section
     *     18.35.3)
     */
    KnownClient introduce(RpcClient client, boolean isNew)
            throws IOException, InterruptedException {
        var result =
                call(
                        client,
                        new SessionArguments.ExchangeId(
                                owner,
                                SessionArguments.ExchangeId.USE_NON_PNFS
                                        | SessionArguments.ExchangeId.SUPP_MOVED_REFER,
                                new StateProtection.None(),
                                Optional.empty()),
                        EXCHANGE_MAX,
                        SessionResult.ExchangeId.class);
        if (isNew && (result.flags() & SessionArguments.ExchangeId.CONFIRMED_R) != 0) {
            throw new SessionRefused(Opcode.EXCHANGE_ID, Nfs4Status.CLID_INUSE);
        }
        return new KnownClient(result.clientId(), result.sequence(), result.scope());
    }

    /**
     * Makes a session. Callbacks fit the inline thresholds of the connection, because the reverse
     * direction has no chunks (RFC 8267-6.5.2-1). If that is too little, there is no back channel,
     * and its sizes mean nothing.
     *
     * @param hasCallbacks whether connections carry callbacks
     */
    Made make(RpcClient client, KnownClient known, boolean hasCallbacks)
            throws IOException, InterruptedException {
        long room = client.callBackBytesMax();
        boolean isBound = hasCallbacks && room >= CALLBACK_MIN;
        int most = isBound ? (int) Math.min(room, CALLBACK_MAX) : CALLBACK_MAX;
        var back =
                new ChannelAttributes(
                        0,
                        most,
                        most,
                        most,
                        BackChannel.CALLBACKS_MAX,
                        BackSlots.COUNT,
                        OptionalInt.empty());
        var result =
                call(
                        client,
                        new SessionArguments.CreateSession(
                                known.id(),
                                known.sequence(),
                                isBound ? SessionArguments.CreateSession.CONN_BACK_CHAN : 0,
                                FORE,
                                back,
                                BackChannel.PROGRAM,
                                List.of(new CallbackSecurity.None())),
                        CREATE_MAX,
                        SessionResult.CreateSession.class);
        var fore = result.fore();
        if (fore.slots() == 0
                || Integer.compareUnsigned(fore.operations(), OPERATIONS_MIN) < 0
                || Integer.compareUnsigned(fore.requestMax(), 2 * Compounds.BESIDE_DATA) < 0
                || Integer.compareUnsigned(fore.responseMax(), 2 * Compounds.BESIDE_DATA) < 0) {
            throw new RpcException.BadReply("the server makes a session that is of no use");
        }
        return new Made(
                result.session(),
                granted(fore),
                isBound ? OptionalInt.of(most) : OptionalInt.empty(),
                known.withNextSequence());
    }

    /** A server that grants more than was asked for does not decide how much memory calls take. */
    private static ChannelAttributes granted(ChannelAttributes told) {
        return new ChannelAttributes(
                told.headerPadding(),
                least(told.requestMax(), FORE.requestMax()),
                least(told.responseMax(), FORE.responseMax()),
                least(told.cachedMax(), FORE.cachedMax()),
                least(told.operations(), FORE.operations()),
                least(told.slots(), FORE.slots()),
                told.readDepth());
    }

    private static int least(int told, int asked) {
        return Integer.compareUnsigned(told, asked) < 0 ? told : asked;
    }

    /**
     * Binds a connection to a session, to use it for calls, and for callbacks if it has room for
     * those that the session was made for.
     *
     * @param withCallbacks whether it is to carry callbacks
     * @return whether it carries them
     */
    boolean bind(RpcClient client, Made made, boolean withCallbacks)
            throws IOException, InterruptedException {
        boolean isBound =
                withCallbacks
                        && made.callbackMax().isPresent()
                        && client.callBackBytesMax() >= made.callbackMax().getAsInt();
        var bound =
                call(
                        client,
                        new SessionArguments.BindConnToSession(
                                made.id(),
                                isBound
                                        ? SessionArguments.BindConnToSession.Direction.FORE_OR_BOTH
                                        : SessionArguments.BindConnToSession.Direction.FORE,
                                false),
                        CREATE_MAX,
                        SessionResult.BindConnToSession.class);
        return bound.direction() != SessionResult.BindConnToSession.Direction.FORE;
    }

    /**
     * Ends a session in which the server may still work on calls, so that it carries none out after
     * those of another session.
     *
     * @throws SessionRefused if it still works on one
     */
    void abandon(RpcClient client, Made made) throws IOException, InterruptedException {
        var status = send(client, new SessionArguments.DestroySession(made.id()), 0).status();
        if (status == Nfs4Status.DELAY) {
            throw new SessionRefused(Opcode.DESTROY_SESSION, status);
        }
    }

    /** Ends a session, and then the client; the server may refuse either. */
    void end(RpcClient client, Made made) throws IOException, InterruptedException {
        send(client, new SessionArguments.DestroySession(made.id()), 0);
        send(client, new SessionArguments.DestroyClientId(made.client().id()), 0);
    }

    private <T extends Result> T call(
            RpcClient client, Arguments operation, int resultsMax, Class<T> type)
            throws IOException, InterruptedException {
        var answer = send(client, operation, resultsMax);
        var results = answer.results();
        if (!results.isEmpty() && results.getFirst().status() != Nfs4Status.OK) {
            throw new SessionRefused(operation.opcode(), results.getFirst().status());
        }
        if (results.isEmpty() || !type.isInstance(results.getFirst())) {
            throw answer.status() != Nfs4Status.OK && answer.malformed().isEmpty()
                    ? new SessionRefused(operation.opcode(), answer.status())
                    : new RpcException.BadReply(
                            answer.malformed().orElse("the server has left out a result"));
        }
        return type.cast(results.getFirst());
    }

    private Answer send(RpcClient client, Arguments operation, int resultsMax)
            throws IOException, InterruptedException {
        var call = compounds.alone(Plan.EMPTY.session(operation, resultsMax));
        try (var reply = client.call(call.rpc(), timeout)) {
            return Answer.decode(reply.results(), call.operations());
        }
    }
}
