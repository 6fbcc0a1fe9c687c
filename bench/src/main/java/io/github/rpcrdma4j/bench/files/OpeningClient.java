package io.github.rpcrdma4j.bench.files;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.operation.StateProtection;
import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.xdr.XdrException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * A client of NFS version 4.1 that opens files and closes them again, each in one COMPOUND.
 * Thread-safe: each call takes a slot of the session, and waits for one if all are in use.
 *
 * <p>Tests: {@code bench/files}.
 */
final class OpeningClient {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int MINOR_VERSION = 1;
    private static final int SLOTS = 64;
    private static final int MESSAGE_BYTES = 4096;
    private static final int OPERATIONS = 8;
    private static final ChannelAttributes CHANNEL =
            new ChannelAttributes(
                    0,
                    MESSAGE_BYTES,
                    MESSAGE_BYTES,
                    MESSAGE_BYTES,
                    OPERATIONS,
                    SLOTS,
                    OptionalInt.empty());

    private final RpcClient client;
    private final SessionId session;
    private final StateOwner owner;
    private final BlockingQueue<Slot> free;

    /** A slot, and the sequence of its next call. */
    private record Slot(int number, int sequence) {}

    /**
     * Makes a session, which ends with its lease.
     *
     * @param client which stays the caller's
     * @param name of the client, other than those of all others
     */
    OpeningClient(RpcClient client, String name) throws IOException, InterruptedException {
        this.client = client;
        var bytes = OpaqueName.of(name.getBytes(StandardCharsets.UTF_8));
        var identity =
                (SessionResult.ExchangeId)
                        last(
                                new SessionArguments.ExchangeId(
                                        new ClientOwner(System.nanoTime(), bytes),
                                        0,
                                        new StateProtection.None(),
                                        Optional.empty()));
        var created =
                (SessionResult.CreateSession)
                        last(
                                new SessionArguments.CreateSession(
                                        identity.clientId(),
                                        identity.sequence(),
                                        0,
                                        CHANNEL,
                                        CHANNEL,
                                        0,
                                        List.of()));
        session = created.session();
        owner = new StateOwner(identity.clientId(), bytes);
        int slots = Math.min(SLOTS, created.fore().slots());
        free = new ArrayBlockingQueue<>(slots);
        for (int i = 0; i < slots; i++) {
            free.add(new Slot(i, 1));
        }
        call(new SessionArguments.ReclaimComplete(false));
    }

    /**
     * Opens a file for reading and closes it.
     *
     * @param directory the names from the root of the server to its directory
     */
    void open(List<String> directory, String file) throws IOException, InterruptedException {
        var operations = new ArrayList<Arguments>();
        operations.add(new HandleArguments.PutRootFh());
        for (var name : directory) {
            operations.add(new HandleArguments.Lookup(FileName.of(name)));
        }
        operations.add(
                new Open(
                        0,
                        Open.READ | Open.WANT_NO_DELEG,
                        0,
                        owner,
                        new OpenCreation.None(),
                        new OpenClaim.Name(FileName.of(file))));
        operations.add(new StateArguments.Close(0, StateId.CURRENT));
        call(operations.toArray(Arguments[]::new));
    }

    private void call(Arguments... operations) throws IOException, InterruptedException {
        var slot = free.take();
        var all = new ArrayList<Arguments>();
        all.add(
                new SessionArguments.Sequence(
                        session, slot.sequence(), slot.number(), SLOTS - 1, false));
        all.addAll(List.of(operations));
        last(all.toArray(Arguments[]::new));
        free.add(new Slot(slot.number(), slot.sequence() + 1));
    }

    /** Sends a COMPOUND, and returns the result of its last operation. */
    private Result last(Arguments... operations) throws IOException, InterruptedException {
        var compound =
                new CompoundArguments(
                        OpaqueName.of(new byte[0]), MINOR_VERSION, List.of(operations));
        var call =
                new RpcCall(
                        Nfs4Binding.PROGRAM,
                        Nfs4Binding.VERSION,
                        Nfs4Binding.COMPOUND,
                        compound::encode,
                        MESSAGE_BYTES);
        try (var reply = client.call(call, TIMEOUT)) {
            var results = CompoundResult.decode(reply.results());
            if (results.status() != Nfs4Status.OK) {
                throw new IOException("the server answered " + results.status());
            }
            return results.results().getLast();
        } catch (XdrException malformed) {
            throw RpcException.BadReply.of(malformed);
        }
    }
}
