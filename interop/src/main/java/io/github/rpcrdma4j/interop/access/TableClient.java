package io.github.rpcrdma4j.interop.access;

import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackSecurity;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseResult;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult;
import io.github.rpcrdma4j.nfs.v4.operation.StateProtection;
import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;

/**
 * A client of NFS version 4. The callers of the table are its users: all of them use its clientid,
 * and in a later minor version than 0 its one session. For use by one thread.
 *
 * <p>Tests: {@code OurServerAccessTest}.
 */
final class TableClient {
    private static final OpaqueName TAG = OpaqueName.of(new byte[0]);

    /** CREATE_SESSION4_FLAG_CONN_BACK_CHAN (RFC 8881, Section 18.36). */
    private static final int CONN_BACK_CHAN = 0x2;

    private static final int MESSAGE_MAX = 1 << 16;
    private static final int OPERATIONS = 16;
    private static final ChannelAttributes CHANNEL =
            new ChannelAttributes(
                    0, MESSAGE_MAX, MESSAGE_MAX, 4096, OPERATIONS, 1, OptionalInt.empty());

    private final CompoundConnections connections;
    private final int minorVersion;
    private final long clientId;
    private final Optional<SessionId> session;
    private int sequence;

    private TableClient(
            CompoundConnections connections,
            int minorVersion,
            long clientId,
            Optional<SessionId> session) {
        this.connections = connections;
        this.minorVersion = minorVersion;
        this.clientId = clientId;
        this.session = session;
    }

    /**
     * Makes a client that has nothing to reclaim.
     *
     * @param isCalledBack whether the server may call it back on its first connection; not in minor
     *     version 0
     */
    static TableClient of(CompoundConnections connections, int minorVersion, boolean isCalledBack)
            throws IOException, InterruptedException {
        var name = UUID.randomUUID().toString().getBytes(StandardCharsets.UTF_8);
        var owner = new ClientOwner(1, OpaqueName.of(name));
        if (minorVersion == 0) {
            return new TableClient(connections, 0, leased(connections, owner), Optional.empty());
        }
        var identity =
                (SessionResult.ExchangeId)
                        last(
                                connections,
                                minorVersion,
                                new SessionArguments.ExchangeId(
                                        owner, 0, new StateProtection.None(), Optional.empty()));
        var created =
                (SessionResult.CreateSession)
                        last(
                                connections,
                                minorVersion,
                                new SessionArguments.CreateSession(
                                        identity.clientId(),
                                        identity.sequence(),
                                        isCalledBack ? CONN_BACK_CHAN : 0,
                                        CHANNEL,
                                        CHANNEL,
                                        CallbackProgram.NUMBER,
                                        isCalledBack
                                                ? List.of(new CallbackSecurity.None())
                                                : List.of()));
        var client =
                new TableClient(
                        connections,
                        minorVersion,
                        identity.clientId(),
                        Optional.of(created.session()));
        succeeded(client.call(Caller.ROOT, List.of(new SessionArguments.ReclaimComplete(false))));
        return client;
    }

    private static long leased(CompoundConnections connections, ClientOwner owner)
            throws IOException, InterruptedException {
        // No server can call this address back.
        var nowhere =
                new LeaseArguments.CallbackPlace(
                        CallbackProgram.NUMBER, name("tcp"), name("0.0.0.0.0.0"));
        var given =
                (LeaseResult.SetClientId)
                        last(connections, 0, new LeaseArguments.SetClientId(owner, nowhere, 0));
        last(
                connections,
                0,
                new LeaseArguments.SetClientIdConfirm(given.clientId(), given.verifier()));
        return given.clientId();
    }

    private static OpaqueName name(String text) {
        return OpaqueName.of(text.getBytes(StandardCharsets.UTF_8));
    }

    long clientId() {
        return clientId;
    }

    /**
     * Sends operations that need neither a client nor a session, as root, and returns their
     * results.
     *
     * @throws IOException if one fails
     */
    static List<Result> send(
            CompoundConnections connections, int minorVersion, Arguments... operations)
            throws IOException, InterruptedException {
        return succeeded(send(connections, minorVersion, Caller.ROOT, List.of(operations)));
    }

    private static Result last(
            CompoundConnections connections, int minorVersion, Arguments operation)
            throws IOException, InterruptedException {
        return send(connections, minorVersion, operation).getLast();
    }

    private static List<Result> succeeded(CompoundResult reply) throws IOException {
        if (reply.status() != Nfs4Status.OK) {
            throw new IOException("the server refuses: " + reply.results());
        }
        return reply.results();
    }

    /** Sends operations, in the session if there is one, and returns their results. */
    CompoundResult call(Caller caller, List<Arguments> operations)
            throws IOException, InterruptedException {
        if (session.isEmpty()) {
            return send(connections, minorVersion, caller, operations);
        }
        var all = new ArrayList<Arguments>();
        all.add(new SessionArguments.Sequence(session.get(), sequence + 1, 0, 0, false));
        all.addAll(operations);
        var reply = send(connections, minorVersion, caller, all);
        if (reply.results().isEmpty() || reply.results().getFirst().status() != Nfs4Status.OK) {
            throw new IOException("the session is of no use: " + reply.results());
        }
        sequence++;
        return new CompoundResult(
                reply.status(), TAG, reply.results().subList(1, reply.results().size()));
    }

    private static CompoundResult send(
            CompoundConnections connections,
            int minorVersion,
            Caller caller,
            List<Arguments> operations)
            throws IOException, InterruptedException {
        var compound = new CompoundArguments(TAG, minorVersion, operations);
        var call =
                new RpcCall(
                        Nfs4Binding.PROGRAM,
                        Nfs4Binding.VERSION,
                        Nfs4Binding.COMPOUND,
                        compound::encode,
                        MESSAGE_MAX,
                        List.of());
        try (var reply = connections.call(caller, call)) {
            var results = reply.results();
            // The results outlive the reply.
            byte[] all = new byte[(int) results.remaining()];
            MemorySegment.ofArray(all).copyFrom(results.fixedOpaque(all.length));
            return CompoundResult.decode(new XdrReader(MemorySegment.ofArray(all)));
        } catch (XdrException malformed) {
            throw new IOException("a malformed reply: " + malformed.getMessage(), malformed);
        }
    }
}
