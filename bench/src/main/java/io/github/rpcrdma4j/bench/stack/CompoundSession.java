package io.github.rpcrdma4j.bench.stack;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.DataResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateProtection;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;

/**
 * A session of NFS version 4.2 with an open file. Its calls are COMPOUNDs as Linux sends them:
 * SEQUENCE, PUTFH and the operation; for {@code null} SEQUENCE alone; for {@code open} OPEN and
 * CLOSE in one. The n-th outstanding call has the n-th slot.
 *
 * <p>Tests: {@code ExchangeTest}.
 */
final class CompoundSession implements Session {
    static final Duration TIMEOUT = Duration.ofMinutes(1);

    private static final int MINOR_VERSION = 2;
    private static final int SLOTS = 64;
    private static final int OPERATIONS = 8;

    /** Room for one call of the longest payload, in bytes. */
    private static final int MESSAGE_MAX = Work.LONGEST + 4096;

    private static final ChannelAttributes FORE =
            new ChannelAttributes(
                    0, MESSAGE_MAX, MESSAGE_MAX, 4096, OPERATIONS, SLOTS, OptionalInt.empty());
    private static final ChannelAttributes BACK =
            new ChannelAttributes(0, 4096, 4096, 0, 2, 1, OptionalInt.empty());
    private static final int CALLBACK_PROGRAM = 0x4000_0000;
    private static final OpaqueName TAG = OpaqueName.of(new byte[0]);

    /** The longest results without data, in bytes. */
    private static final int RESULTS_MAX = 512;

    private final RpcClient client;
    private final long clientId;
    private final SessionId session;
    private final Slot[] slots = new Slot[SLOTS];
    private FileHandle directory;
    private FileHandle file;
    private StateId open;

    private CompoundSession(RpcClient client) throws IOException, InterruptedException {
        this.client = client;
        var name = OpaqueName.of(UUID.randomUUID().toString().getBytes(StandardCharsets.UTF_8));
        var identity =
                (SessionResult.ExchangeId)
                        alone(
                                new SessionArguments.ExchangeId(
                                        new ClientOwner(1, name),
                                        0,
                                        new StateProtection.None(),
                                        Optional.empty()));
        clientId = identity.clientId();
        var created =
                (SessionResult.CreateSession)
                        alone(
                                new SessionArguments.CreateSession(
                                        clientId,
                                        identity.sequence(),
                                        0,
                                        FORE,
                                        BACK,
                                        CALLBACK_PROGRAM,
                                        List.of()));
        session = created.session();
        for (int i = 0; i < SLOTS; i++) {
            slots[i] = new Slot(i);
        }
    }

    /** Makes a session on a connection, and opens the file that the calls read and write. */
    static CompoundSession open(RpcClient client) throws IOException, InterruptedException {
        var made = new CompoundSession(client);
        made.wait(made.slots[0].next(new SessionArguments.ReclaimComplete(false)));
        var opened =
                made.wait(
                        made.slots[0].next(
                                new HandleArguments.PutRootFh(),
                                lookup(NfsExchange.DATA_EXPORT.substring(1)),
                                new HandleArguments.GetFh(),
                                data(new StateOwner(made.clientId, TAG)),
                                new HandleArguments.GetFh()));
        for (var result : opened.results()) {
            switch (result) {
                case StateResult.Open(var state, _, _, _, _) -> made.open = state;
                case HandleResult.GetFh(var handle) -> {
                    made.directory = made.file;
                    made.file = handle;
                }
                case Result _ -> {}
            }
        }
        return made;
    }

    /** Opens the file that the calls read and write, in the current directory. */
    private static StateArguments.Open data(StateOwner owner) {
        return new StateArguments.Open(
                0,
                StateArguments.Open.BOTH | StateArguments.Open.WANT_NO_DELEG,
                0,
                owner,
                new OpenCreation.None(),
                new OpenClaim.Name(FileName.of(NfsExchange.DATA)));
    }

    private static HandleArguments.Lookup lookup(String name) {
        return new HandleArguments.Lookup(FileName.of(name));
    }

    private Result alone(Arguments operation) throws IOException, InterruptedException {
        return wait(new CompoundArguments(TAG, MINOR_VERSION, List.of(operation)))
                .results()
                .getFirst();
    }

    private CompoundResult wait(CompoundArguments compound)
            throws IOException, InterruptedException {
        try (var reply = client.call(rpcCall(compound, List.of()), TIMEOUT)) {
            return succeeded(reply.results());
        } catch (XdrException refused) {
            throw RpcException.BadReply.of(refused);
        }
    }

    private static RpcCall rpcCall(CompoundArguments compound, List<MemorySegment> targets) {
        return new RpcCall(
                Nfs4Binding.PROGRAM,
                Nfs4Binding.VERSION,
                Nfs4Binding.COMPOUND,
                compound::encode,
                RESULTS_MAX,
                targets);
    }

    private static CompoundResult succeeded(XdrReader results) throws XdrException {
        var reply = CompoundResult.decode(results);
        if (reply.status() != Nfs4Status.OK) {
            throw new XdrException("the server refuses: " + reply.results());
        }
        return reply;
    }

    /** The calls of one slot, one at a time. Not thread-safe. */
    private final class Slot {
        private final int number;

        /** Opens of several slots are opens of several owners: each is closed by its own slot. */
        private final StateOwner owner;

        private int sequence;

        Slot(int number) {
            this.number = number;
            this.owner = new StateOwner(clientId, OpaqueName.of(new byte[] {(byte) number}));
        }

        CompoundArguments next(Arguments... operations) {
            var all = new ArrayList<Arguments>(1 + operations.length);
            all.add(new SessionArguments.Sequence(session, ++sequence, number, SLOTS - 1, false));
            all.addAll(List.of(operations));
            return new CompoundArguments(TAG, MINOR_VERSION, all);
        }
    }

    /** The calls of one kind in one slot, one after another. */
    private final class Calls implements PipelineLoop.Calls {
        private final Slot slot;
        private final Work.Kind kind;
        private final MemorySegment memory;
        private final List<MemorySegment> targets;
        private final CyclicOffsets offsets;

        Calls(Slot slot, Work work, MemorySegment memory) {
            this.slot = slot;
            this.kind = work.kind();
            this.memory = memory;
            this.targets = kind == Work.Kind.READ ? List.of(memory) : List.of();
            this.offsets = new CyclicOffsets(work.length(), NfsExchange.DATA_BYTES);
        }

        @Override
        public RpcCall next() {
            return rpcCall(
                    switch (kind) {
                        case NULL -> slot.next();
                        case READ ->
                                slot.next(
                                        new HandleArguments.PutFh(file),
                                        new DataArguments.Read(
                                                open, offsets.next(), (int) memory.byteSize()));
                        case WRITE ->
                                slot.next(
                                        new HandleArguments.PutFh(file),
                                        new DataArguments.Write(
                                                open, offsets.next(), Stability.UNSTABLE, memory));
                        case OPEN ->
                                slot.next(
                                        new HandleArguments.PutFh(directory),
                                        data(slot.owner),
                                        new StateArguments.Close(0, StateId.CURRENT));
                        case COPY -> throw new IllegalArgumentException("no files are copied");
                    },
                    targets);
        }

        @Override
        public void take(XdrReader results) throws XdrException {
            var last = succeeded(results).results().getLast();
            long moved =
                    switch (last) {
                        case DataResult.Read(_, var data, _) -> data.byteSize();
                        case DataResult.Write(int count, _, _) -> count;
                        case Result _ -> 0;
                    };
            if (moved != memory.byteSize()) {
                throw new XdrException("%d bytes were moved".formatted(moved));
            }
        }
    }

    /** Prepares calls of the first slot, for a caller that waits for each. */
    @Override
    public Call call(Work work, MemorySegment memory) {
        var calls = new Calls(slots[0], work, memory);
        return () -> {
            try (var reply = client.call(calls.next(), TIMEOUT)) {
                calls.take(reply.results());
            }
        };
    }

    @Override
    public void run(Work work, Meter meter, SlotMemory memory) throws Exception {
        if (meter.slots() == 1) {
            Session.super.run(work, meter, memory);
            return;
        }
        PipelineLoop.run(
                client,
                TIMEOUT,
                meter,
                slot -> new Calls(slots[slot], work, memory.of(slot, work.length())));
    }

    @Override
    public void close() {
        client.close();
    }
}
