package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackSecurity;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult;
import io.github.rpcrdma4j.nfs.v4.operation.StateProtection;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

/** A client of NFS version 4 with a session, of which it uses the first slot. Not thread-safe. */
final class CompoundClient {
    static final OpaqueName TAG = OpaqueName.of(new byte[0]);
    static final Credential ROOT = user(0);
    static final ChannelAttributes CHANNEL = channel(1 << 20, 1 << 20, 1 << 12, 64);

    private static final int CALLBACK_PROGRAM = 0x4000_0000;
    private static final int CALLBACKS = 2;

    private final Results server;
    private final int minorVersion;
    private final SessionResult.ExchangeId identity;
    private final SessionId session;
    private Credential caller;
    private int sequence;

    private CompoundClient(
            Results server,
            Credential caller,
            int minorVersion,
            String name,
            ChannelAttributes fore,
            ChannelAttributes back)
            throws XdrException, InterruptedException {
        this.server = server;
        this.caller = caller;
        this.minorVersion = minorVersion;
        var owner = new ClientOwner(1, OpaqueName.of(name.getBytes()));
        identity =
                (SessionResult.ExchangeId)
                        only(
                                new SessionArguments.ExchangeId(
                                        owner, 0, new StateProtection.None(), Optional.empty()));
        var created =
                (SessionResult.CreateSession)
                        only(
                                new SessionArguments.CreateSession(
                                        identity.clientId(),
                                        identity.sequence(),
                                        CALLBACKS,
                                        fore,
                                        back,
                                        CALLBACK_PROGRAM,
                                        List.of(new CallbackSecurity.None())));
        session = created.session();
    }

    /** Returns a client that has reclaimed nothing, with a session that has a fore channel. */
    static CompoundClient of(
            Results server,
            Credential caller,
            int minorVersion,
            String name,
            ChannelAttributes fore)
            throws XdrException, InterruptedException {
        return of(server, caller, minorVersion, name, fore, CHANNEL);
    }

    /** Returns a client that has reclaimed nothing, with a session that has these channels. */
    static CompoundClient of(
            Results server,
            Credential caller,
            int minorVersion,
            String name,
            ChannelAttributes fore,
            ChannelAttributes back)
            throws XdrException, InterruptedException {
        var client = new CompoundClient(server, caller, minorVersion, name, fore, back);
        assertEquals(Nfs4Status.OK, client.status(new SessionArguments.ReclaimComplete(false)));
        return client;
    }

    /** Returns a client of minor version 2 that has not said that it has nothing to reclaim. */
    static CompoundClient recovering(Results server, String name)
            throws XdrException, InterruptedException {
        return recovering(server, name, ROOT);
    }

    /** Returns a client of minor version 2 that has not said that it has nothing to reclaim. */
    static CompoundClient recovering(Results server, String name, Credential caller)
            throws XdrException, InterruptedException {
        return new CompoundClient(server, caller, 2, name, CHANNEL, CHANNEL);
    }

    /** Returns a client of minor version 2 with the user root, who has reclaimed nothing. */
    static CompoundClient of(Results server, String name)
            throws XdrException, InterruptedException {
        return of(server, ROOT, 2, name, CHANNEL);
    }

    /** Returns a client of minor version 2 with a user, who has reclaimed nothing. */
    static CompoundClient of(Results server, String name, int uid)
            throws XdrException, InterruptedException {
        return of(server, user(uid), 2, name, CHANNEL);
    }

    static Credential user(int uid) {
        return new Credential.Sys(0, "box", uid, uid, List.of());
    }

    /** Returns a fore channel with limits in bytes. */
    static ChannelAttributes channel(
            int requestMax, int responseMax, int cachedMax, int operations) {
        return new ChannelAttributes(
                0, requestMax, responseMax, cachedMax, operations, 1, OptionalInt.empty());
    }

    long clientId() {
        return identity.clientId();
    }

    /** Returns the result of EXCHANGE_ID. */
    SessionResult.ExchangeId identity() {
        return identity;
    }

    SessionId session() {
        return session;
    }

    /** Makes further calls have another caller. */
    void become(Credential other) {
        caller = other;
    }

    private Result only(Arguments operation) throws XdrException, InterruptedException {
        var reply = send(List.of(operation));
        assertEquals(Nfs4Status.OK, reply.status());
        return reply.results().getFirst();
    }

    /** Sends operations without anything in front of them. */
    CompoundResult send(List<Arguments> operations) throws XdrException, InterruptedException {
        return decode(bytes(new CompoundArguments(TAG, minorVersion, operations)::encode));
    }

    static CompoundResult decode(byte[] reply) throws XdrException {
        return CompoundResult.decode(new XdrReader(MemorySegment.ofArray(reply)));
    }

    /** Sends any bytes as arguments of COMPOUND, and returns the bytes of the results. */
    byte[] bytes(Consumer<XdrWriter> arguments) throws XdrException, InterruptedException {
        var results =
                server.results(
                        Nfs4Binding.PROGRAM,
                        Nfs4Binding.VERSION,
                        Nfs4Binding.COMPOUND,
                        caller,
                        arguments);
        return bytes(results);
    }

    private static byte[] bytes(XdrReader results) throws XdrException {
        var all = new byte[(int) results.remaining()];
        MemorySegment.ofArray(all).copyFrom(results.fixedOpaque(all.length));
        return all;
    }

    /** Returns the SEQUENCE of the next call. */
    SessionArguments.Sequence next(boolean isCached) {
        return new SessionArguments.Sequence(session, sequence + 1, 0, 0, isCached);
    }

    /** Returns operations behind the SEQUENCE of the next call. */
    CompoundArguments nextCall(boolean isCached, Arguments... operations) {
        var all = new ArrayList<Arguments>();
        all.add(next(isCached));
        all.addAll(List.of(operations));
        return new CompoundArguments(TAG, minorVersion, all);
    }

    /** Makes the next call use the next sequence, because the server has taken the last one. */
    void advance() {
        sequence++;
    }

    /** Sends operations behind SEQUENCE, and returns the whole reply. */
    CompoundResult compound(Arguments... operations) throws XdrException, InterruptedException {
        return compound(false, operations);
    }

    /** Sends operations behind SEQUENCE, and returns the whole reply. */
    CompoundResult compound(boolean isCached, Arguments... operations)
            throws XdrException, InterruptedException {
        var reply = decode(bytes(nextCall(isCached, operations)::encode));
        if (reply.results().getFirst().status() == Nfs4Status.OK) {
            advance();
        }
        return reply;
    }

    Nfs4Status status(Arguments... operations) throws XdrException, InterruptedException {
        return compound(operations).status();
    }

    /** Sends operations behind SEQUENCE, which must succeed, and returns the result of the last. */
    Result last(Arguments... operations) throws XdrException, InterruptedException {
        var reply = compound(operations);
        assertEquals(Nfs4Status.OK, reply.status(), () -> reply.results().toString());
        return reply.results().getLast();
    }

    /** Opens a file, and returns its stateid. */
    StateId open(Arguments... operations) throws XdrException, InterruptedException {
        return ((StateResult.Open) last(operations)).open();
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
