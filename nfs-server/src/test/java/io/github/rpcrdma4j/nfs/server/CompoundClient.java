package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult;
import io.github.rpcrdma4j.nfs.v4.operation.StateProtection;
import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.xdr.XdrException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** A client of NFS version 4 with a session of one slot. Not thread-safe. */
final class CompoundClient {
    private static final OpaqueName TAG = OpaqueName.of(new byte[0]);
    private static final ChannelAttributes CHANNEL =
            new ChannelAttributes(0, 1 << 20, 1 << 20, 1 << 12, 64, 1, OptionalInt.empty());
    private static final int CALLBACK_PROGRAM = 0x4000_0000;

    private final TestServer server;
    private final Credential caller;
    private final int minorVersion;
    private final long clientId;
    private final SessionId session;
    private int sequence;

    private CompoundClient(TestServer server, Credential caller, int minorVersion, String name)
            throws XdrException, InterruptedException {
        this.server = server;
        this.caller = caller;
        this.minorVersion = minorVersion;
        var owner = new ClientOwner(1, OpaqueName.of(name.getBytes()));
        var client =
                (SessionResult.ExchangeId)
                        only(
                                new SessionArguments.ExchangeId(
                                        owner, 0, new StateProtection.None(), Optional.empty()));
        clientId = client.clientId();
        var created =
                (SessionResult.CreateSession)
                        only(
                                new SessionArguments.CreateSession(
                                        clientId,
                                        client.sequence(),
                                        0,
                                        CHANNEL,
                                        CHANNEL,
                                        CALLBACK_PROGRAM,
                                        List.of()));
        session = created.session();
        assertEquals(Nfs4Status.OK, compound(new SessionArguments.ReclaimComplete(false)).status());
    }

    /** Returns a client of minor version 2 with the user root, who has reclaimed nothing. */
    static CompoundClient of(TestServer server, String name)
            throws XdrException, InterruptedException {
        return new CompoundClient(server, new Credential.Sys(0, "box", 0, 0, List.of()), 2, name);
    }

    long clientId() {
        return clientId;
    }

    private Result only(Arguments operation) throws XdrException, InterruptedException {
        var reply = send(List.of(operation));
        assertEquals(Nfs4Status.OK, reply.status());
        return reply.results().getFirst();
    }

    private CompoundResult send(List<Arguments> operations)
            throws XdrException, InterruptedException {
        var compound = new CompoundArguments(TAG, minorVersion, operations);
        return CompoundResult.decode(
                server.results(
                        Nfs4Binding.PROGRAM,
                        Nfs4Binding.VERSION,
                        Nfs4Binding.COMPOUND,
                        caller,
                        compound::encode));
    }

    /** Sends operations behind SEQUENCE, and returns the whole reply. */
    CompoundResult compound(Arguments... operations) throws XdrException, InterruptedException {
        var all = new ArrayList<Arguments>();
        all.add(new SessionArguments.Sequence(session, ++sequence, 0, 0, false));
        all.addAll(List.of(operations));
        return send(all);
    }

    /** Sends operations behind SEQUENCE, which must succeed, and returns the result of the last. */
    Result last(Arguments... operations) throws XdrException, InterruptedException {
        var reply = compound(operations);
        assertEquals(Nfs4Status.OK, reply.status(), () -> reply.results().toString());
        return reply.results().getLast();
    }

    /** Returns the operations that make a file below the root of the server the current one. */
    static List<Arguments> walk(String... names) {
        var walk = new ArrayList<Arguments>();
        walk.add(new HandleArguments.PutRootFh());
        for (var name : names) {
            walk.add(new HandleArguments.Lookup(FileName.of(name)));
        }
        return walk;
    }
}
