package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackCompound;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackOpcode;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackResult;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackSecurity;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments.CreateSession;
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
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: a client that waits for a lock is told that it is free. */
class NotifiedLocksTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final int CALLBACK_PROGRAM = 0x4000_0001;
    private static final ChannelAttributes CHANNEL =
            new ChannelAttributes(0, 1 << 12, 1 << 12, 1 << 10, 16, 4, OptionalInt.empty());

    /** The client's program, which keeps the first callback. */
    private static final class Callbacks implements RpcProgram {
        private final CompletableFuture<CallbackCompound> first = new CompletableFuture<>();

        @Override
        public ProgramId id() {
            return new ProgramId(CALLBACK_PROGRAM, 1);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results) throws XdrException {
            var compound = CallbackCompound.decode(request.arguments());
            var refusal =
                    new CallbackResult.Plain(
                            CallbackOpcode.CB_SEQUENCE.number(), Nfs4Status.BADSESSION);
            new CallbackCompound.Outcome(Nfs4Status.BADSESSION, opaque(""), List.of(refusal))
                    .encode(results);
            first.complete(compound);
            return AcceptStatus.SUCCESS;
        }
    }

    private static OpaqueName opaque(String text) {
        return OpaqueName.of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** A client on one connection with a back channel. */
    private static final class Client {
        private final TcpRpcClient connection;
        private final int minorVersion;
        private final SessionId session;
        private int sequence;

        Client(TcpRpcClient connection, int minorVersion, ChannelAttributes back) throws Exception {
            this.connection = connection;
            this.minorVersion = minorVersion;
            var identity =
                    (SessionResult.ExchangeId)
                            send(
                                    List.of(
                                            new SessionArguments.ExchangeId(
                                                    new ClientOwner(1, opaque("client")),
                                                    0,
                                                    new StateProtection.None(),
                                                    Optional.empty())));
            var created =
                    (SessionResult.CreateSession)
                            send(
                                    List.of(
                                            new CreateSession(
                                                    identity.clientId(),
                                                    identity.sequence(),
                                                    CreateSession.CONN_BACK_CHAN,
                                                    CHANNEL,
                                                    back,
                                                    CALLBACK_PROGRAM,
                                                    List.of(new CallbackSecurity.None()))));
            session = created.session();
            assertEquals(CreateSession.CONN_BACK_CHAN, created.flags());
            call(new SessionArguments.ReclaimComplete(false));
        }

        /** Sends a COMPOUND, and returns its last result. */
        private Result send(List<Arguments> operations)
                throws RpcException, XdrException, InterruptedException {
            var compound = new CompoundArguments(opaque(""), minorVersion, operations);
            var call =
                    new RpcCall(
                            Nfs4Binding.PROGRAM,
                            Nfs4Binding.VERSION,
                            Nfs4Binding.COMPOUND,
                            compound::encode,
                            1 << 12);
            try (var reply = connection.call(call, DEADLINE)) {
                return CompoundResult.decode(reply.results()).results().getLast();
            }
        }

        Result call(Arguments... operations) throws Exception {
            var all = new ArrayList<Arguments>();
            all.add(new SessionArguments.Sequence(session, ++sequence, 0, 0, false));
            all.addAll(List.of(operations));
            return send(all);
        }

        /** Calls an operation on the file. */
        Result onFile(Arguments operation) throws Exception {
            return call(
                    new HandleArguments.PutRootFh(),
                    new HandleArguments.Lookup(FileName.of("export")),
                    new HandleArguments.Lookup(FileName.of("file")),
                    operation);
        }

        StateId open(String owner) throws Exception {
            var result =
                    onFile(
                            new StateArguments.Open(
                                    0,
                                    StateArguments.Open.BOTH,
                                    0,
                                    new StateOwner(0, opaque(owner)),
                                    new OpenCreation.None(),
                                    new OpenClaim.Handle()));
            return assertInstanceOf(StateResult.Open.class, result).open();
        }

        /** An owner waits for a lock until another one gives it up, takes it, and gives it up. */
        void waitsAndLocks(String owner) throws Exception {
            var held = held(lock(LockType.WRITE, open("one"), "one"));
            var own = open(owner);
            assertEquals(Nfs4Status.DENIED, lock(LockType.WRITE_WAITING, own, owner).status());
            unlock(held);
            unlock(held(lock(LockType.WRITE_WAITING, own, owner)));
        }

        private static StateId held(Result result) {
            return assertInstanceOf(LockResult.Lock.class, result).lock();
        }

        private void unlock(StateId held) throws Exception {
            var unlock = new LockArguments.LockU(LockType.WRITE, 0, held, 0, 10);
            assertEquals(Nfs4Status.OK, onFile(unlock).status());
        }

        Result lock(LockType type, StateId open, String owner) throws Exception {
            var locker =
                    new LockArguments.Locker.NewOwner(0, open, 0, new StateOwner(0, opaque(owner)));
            return onFile(new LockArguments.Lock(type, false, 0, 10, locker));
        }
    }

    /** Linux finds the session of a callback by its minor version, and refuses any other. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void isToldOfAFreeLockInTheMinorVersionOfItsSession(int minorVersion) throws Exception {
        var callback = firstCallback(minorVersion, CHANNEL, List.of("other"));
        assertEquals(minorVersion, callback.minorVersion());
        assertEquals(opaque("other"), notified(callback).owner().name());
    }

    @Test
    @Tag("8267-6.5.2-2")
    void isNotCalledWithMoreThanItsSessionTakes() throws Exception {
        var narrow = new ChannelAttributes(0, 300, 1 << 12, 1 << 10, 16, 4, OptionalInt.empty());
        var owners = List.of("a long name ".repeat(30), "other");
        var callback = firstCallback(2, narrow, owners);
        assertEquals(opaque("other"), notified(callback).owner().name());
    }

    private static CallbackArguments.NotifyLock notified(CallbackCompound callback) {
        return assertInstanceOf(CallbackArguments.NotifyLock.class, callback.callbacks().getLast());
    }

    /**
     * Returns the first callback of those that tell waiting owners that a lock is free.
     *
     * @param owners those that wait, one after the other
     */
    private static CallbackCompound firstCallback(
            int minorVersion, ChannelAttributes back, List<String> owners) throws Exception {
        var callbacks = new Callbacks();
        try (var testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC)) {
            Files.writeString(testDirectory.root().resolve("file"), "content");
            var export = new Export("/export", testDirectory.root(), false);
            try (var nfs = new NfsServer(List.of(export), TestServer.KEY);
                    var server =
                            TcpRpcServer.listen(
                                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                    nfs.programs(),
                                    TcpRpcOptions.DEFAULT);
                    var connection =
                            TcpRpcClient.connect(
                                    server.address(),
                                    new Credential.Sys(0, "box", 0, 0, List.of()),
                                    List.of(callbacks),
                                    DEADLINE)) {
                var client = new Client(connection, minorVersion, back);
                for (var owner : owners) {
                    client.waitsAndLocks(owner);
                }
                return callbacks.first.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
            }
        }
    }
}
