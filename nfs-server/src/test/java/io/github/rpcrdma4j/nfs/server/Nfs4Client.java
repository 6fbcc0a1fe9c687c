package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.Implementation;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateProtection;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.xdr.XdrException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** A client of version 4.2 with one session, which uses one slot. */
final class Nfs4Client {
    /** Any program: nothing is called back. */
    private static final int CALLBACK_PROGRAM = 0x40000000;

    private static final ChannelAttributes CHANNEL =
            new ChannelAttributes(0, 4096, 4096, 1024, 16, 4, OptionalInt.empty());

    private final TestServer server;
    private final Credential caller;
    private final String name;
    final SessionResult.ExchangeId identity;
    private final SessionId session;
    private int sequence;

    /** Makes a client and its session. */
    Nfs4Client(TestServer server, String name, int uid) throws XdrException, InterruptedException {
        this.server = server;
        this.name = name;
        this.caller = new Credential.Sys(0, "test", uid, 0, List.of());
        var exchange =
                new SessionArguments.ExchangeId(
                        new ClientOwner(1, opaque(name)),
                        0,
                        new StateProtection.None(),
                        Optional.<Implementation>empty());
        identity = (SessionResult.ExchangeId) alone(exchange).results().getFirst();
        var creation =
                new SessionArguments.CreateSession(
                        identity.clientId(),
                        identity.sequence(),
                        0,
                        CHANNEL,
                        CHANNEL,
                        CALLBACK_PROGRAM,
                        List.of());
        session = ((SessionResult.CreateSession) alone(creation).results().getFirst()).session();
    }

    private static OpaqueName opaque(String text) {
        return OpaqueName.of(text.getBytes(StandardCharsets.UTF_8));
    }

    long id() {
        return identity.clientId();
    }

    private CompoundResult alone(Arguments operation) throws XdrException, InterruptedException {
        var result = send(List.of(operation));
        assertEquals(Nfs4Status.OK, result.status(), operation::toString);
        return result;
    }

    private CompoundResult send(List<Arguments> operations)
            throws XdrException, InterruptedException {
        var compound = new CompoundArguments(opaque("test"), 2, operations);
        return CompoundResult.decode(
                server.results(
                        Nfs4Binding.PROGRAM,
                        Nfs4Binding.VERSION,
                        Nfs4Binding.COMPOUND,
                        caller,
                        compound::encode));
    }

    /** Sends operations in the session. */
    CompoundResult call(Arguments... operations) throws XdrException, InterruptedException {
        var all = new ArrayList<Arguments>();
        all.add(new SessionArguments.Sequence(session, ++sequence, 0, 0, false));
        all.addAll(List.of(operations));
        return send(all);
    }

    /** Opens a file of the export for reading and writing. */
    CompoundResult open(String file) throws XdrException, InterruptedException {
        return call(
                new HandleArguments.PutRootFh(),
                new HandleArguments.Lookup(FileName.of(TestServer.EXPORT.substring(1))),
                open(new OpenClaim.Name(FileName.of(file))));
    }

    /** Opens a file that was open before the server restarted. */
    CompoundResult reclaim(String file) throws XdrException, InterruptedException {
        return call(
                new HandleArguments.PutRootFh(),
                new HandleArguments.Lookup(FileName.of(TestServer.EXPORT.substring(1))),
                new HandleArguments.Lookup(FileName.of(file)),
                open(new OpenClaim.Previous(0)));
    }

    private StateArguments.Open open(OpenClaim claim) {
        return new StateArguments.Open(
                0,
                StateArguments.Open.BOTH,
                0,
                new StateOwner(0, opaque("owner of " + name)),
                new OpenCreation.None(),
                claim);
    }

    /** Returns the stateid of an open that has succeeded. */
    static StateId opened(CompoundResult result) {
        assertEquals(Nfs4Status.OK, result.status());
        return ((StateResult.Open) result.results().getLast()).open();
    }

    /** Locks ten bytes of an open file. */
    StateId lock(String file, StateId open, boolean isReclaim)
            throws XdrException, InterruptedException {
        var result =
                call(
                        new HandleArguments.PutRootFh(),
                        new HandleArguments.Lookup(FileName.of(TestServer.EXPORT.substring(1))),
                        new HandleArguments.Lookup(FileName.of(file)),
                        new LockArguments.Lock(
                                LockType.WRITE,
                                isReclaim,
                                5,
                                10,
                                new LockArguments.Locker.NewOwner(
                                        0, open, 0, new StateOwner(0, opaque("locker")))));
        assertEquals(Nfs4Status.OK, result.status());
        return ((LockResult.Lock) result.results().getLast()).lock();
    }

    CompoundResult reclaimComplete() throws XdrException, InterruptedException {
        return call(new SessionArguments.ReclaimComplete(false));
    }
}
