package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.nfs.NamedProgram;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3CallDecoder;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.nfs.v4.CompoundCall;
import io.github.rpcrdma4j.nfs.v4.CompoundKind;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.nfs.v4.WalkEnd;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.rpcrdma.chunk.ReadChunk;
import io.github.rpcrdma4j.rpcrdma.chunk.ReadChunkPlacements;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.AlignedPlacements;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Alignment;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Decodes RPC messages whose bulk items may be in chunks. It knows the lengths of the chunks, not
 * their bytes.
 */
final class RpcDecoder {
    /** The longest chunk that is compared with its bulk item, in bytes. */
    private static final long CHUNK_MAX = 1 << 26;

    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int GSS = 6;

    /** The number of COMPOUND, and of CB_COMPOUND. */
    private static final int COMPOUND = Nfs4Binding.COMPOUND;

    /** The entry for operations whose names could not be found. */
    private static final String MORE = "...";

    /** Zeros in place of the bytes of chunks. */
    private byte[] zeros = new byte[0];

    /**
     * A call, for the decoding of its reply.
     *
     * @param program the program, if its names are known
     */
    record KnownCall(RpcMessage.Call message, Optional<NamedProgram> program) {}

    /**
     * A decoded call with its fault, if there is one.
     *
     * @param known empty if the call cannot be read
     */
    record DecodedCall(RpcMessage message, Optional<KnownCall> known, Optional<Finding> finding) {
        private static DecodedCall unreadable(int xid, String why, Finding finding) {
            return new DecodedCall(
                    new RpcMessage.Unreadable(xid, why), Optional.empty(), Optional.of(finding));
        }
    }

    private final boolean reverse;
    private final CallbackPrograms callbacks;

    /**
     * @param reverse whether calls are in the reverse direction
     * @param callbacks the programs of callbacks on the connection
     */
    RpcDecoder(boolean reverse, CallbackPrograms callbacks) {
        this.reverse = reverse;
        this.callbacks = callbacks;
    }

    /**
     * Decodes a call.
     *
     * @param alignment the alignment of its bulk items
     * @param chunks its Read chunks except the Position-Zero Read chunk
     * @param judged whether to check the arguments: the message is complete, and its header is
     *     right
     */
    DecodedCall call(
            MemorySegment message, Alignment alignment, List<ReadChunk> chunks, boolean judged) {
        var in = new XdrReader(message, AlignedPlacements.of(placements(chunks), alignment));
        CallHeader header;
        try {
            header = CallHeader.decode(in);
        } catch (XdrException malformed) {
            var why = malformed.getMessage();
            return DecodedCall.unreadable(xid(message), why, Rules.badCall(why));
        }
        if (header.rpcVersion() != CallHeader.RPC_VERSION) {
            return DecodedCall.unreadable(
                    header.xid(), "another version of RPC", Rules.rpcVersion(header.rpcVersion()));
        }
        var program = NamedProgram.of(header.program(), header.version());
        boolean isReadable = header.credential().flavor() != GSS;
        Optional<CompoundCall> compound = Optional.empty();
        if (program.isEmpty() && reverse) {
            var verdict = callbacks.judge(header);
            if (isReadable && header.procedure() == COMPOUND) {
                compound = Optional.of(CompoundCall.walk(CompoundKind.CB_COMPOUND, in));
            }
            if (verdict == CallbackPrograms.Verdict.YES
                    || verdict == CallbackPrograms.Verdict.BY_ARGUMENTS
                            && compound.map(call -> call.end().isComplete()).orElse(true)) {
                program = Optional.of(NamedProgram.CALLBACK);
            } else {
                compound = Optional.empty();
            }
        } else if (isReadable && isCompound(header)) {
            compound = Optional.of(CompoundCall.walk(CompoundKind.COMPOUND, in));
        }
        compound.ifPresent(call -> callbacks.add(call.callbackPrograms()));
        Optional<Finding> finding = Optional.empty();
        if (isReadable && compound.isEmpty() && judged && !isTooLarge(chunks)) {
            finding = judge(header, in);
        }
        var call =
                new RpcMessage.Call(
                        header.xid(),
                        header.program(),
                        header.version(),
                        header.procedure(),
                        header.credential().flavor(),
                        name(program, header),
                        compound.map(RpcDecoder::operations).orElse(List.of()));
        return new DecodedCall(call, Optional.of(new KnownCall(call, program)), finding);
    }

    private static String name(Optional<NamedProgram> program, CallHeader header) {
        return program.map(known -> ProgramNames.of(known, header.procedure()))
                .orElseGet(
                        () ->
                                ProgramNames.of(
                                        header.program(), header.version(), header.procedure()));
    }

    /** Returns the names of the operations, followed by {@link #MORE} if not all were found. */
    private static List<String> operations(CompoundCall call) {
        var names = new ArrayList<String>();
        call.operations().forEach(each -> names.add(each.operation().name()));
        if (call.end() instanceof WalkEnd.UnknownOperation(_, var number)) {
            names.add("operation " + Integer.toUnsignedString(number));
            names.add(MORE);
        } else if (!call.end().isComplete() && (names.isEmpty() || names.size() != call.count())) {
            names.add(MORE);
        }
        return List.copyOf(names);
    }

    private static boolean isCompound(CallHeader header) {
        return header.program() == Nfs4Binding.PROGRAM
                && header.version() == Nfs4Binding.VERSION
                && header.procedure() == COMPOUND;
    }

    private static Optional<Finding> judge(CallHeader header, XdrReader in) {
        if (header.program() != Nfs3.PROGRAM
                || header.version() != Nfs3.VERSION
                || !Procedure.exists(header.procedure())
                || header.procedure() == Procedure.NULL.number()) {
            return Optional.empty();
        }
        try {
            Nfs3CallDecoder.decode(Procedure.of(header.procedure()), in);
            return Optional.empty();
        } catch (XdrException malformed) {
            return Optional.of(Rules.badArguments(malformed.getMessage()));
        }
    }

    private static boolean isTooLarge(List<ReadChunk> chunks) {
        return chunks.stream().anyMatch(chunk -> chunk.size() > CHUNK_MAX);
    }

    private ReadChunkPlacements placements(List<ReadChunk> chunks) {
        var items = new ArrayList<BulkItem>(chunks.size());
        for (var chunk : chunks) {
            int size = (int) Math.min(chunk.size(), CHUNK_MAX);
            if (zeros.length < size) {
                zeros = new byte[size];
            }
            items.add(
                    new BulkItem(chunk.position(), MemorySegment.ofArray(zeros).asSlice(0, size)));
        }
        return new ReadChunkPlacements(items);
    }

    /**
     * Decodes a reply.
     *
     * @param call the call that it answers, if it is known
     */
    RpcMessage reply(MemorySegment message, Optional<KnownCall> call) {
        var in = new XdrReader(message);
        try {
            var header = ReplyHeader.decode(in);
            var outcome =
                    switch (header) {
                        case ReplyHeader.Success _ -> "SUCCESS";
                        case ReplyHeader.Refused refused -> refused.status().name();
                        case ReplyHeader.ProgramMismatch mismatch ->
                                "PROG_MISMATCH " + range(mismatch.lowest(), mismatch.highest());
                        case ReplyHeader.RpcMismatch(_, var low, var high) ->
                                "RPC_MISMATCH " + range(low, high);
                        case ReplyHeader.AuthError(_, var status) ->
                                "AUTH_ERROR " + Integer.toUnsignedString(status);
                    };
            var status =
                    header instanceof ReplyHeader.Success && call.isPresent()
                            ? status(call.get(), in)
                            : OptionalInt.empty();
            var name =
                    status.isPresent()
                            ? statusName(call.get().program().orElseThrow(), status.getAsInt())
                            : "";
            return new RpcMessage.Reply(header.xid(), outcome, status, name);
        } catch (XdrException malformed) {
            return new RpcMessage.Unreadable(xid(message), malformed.getMessage());
        }
    }

    private static String range(int low, int high) {
        return Integer.toUnsignedString(low) + " to " + Integer.toUnsignedString(high);
    }

    /** Returns the status of the results, if they have one. */
    private static OptionalInt status(KnownCall call, XdrReader in) {
        if (call.program().isEmpty() || call.message().flavor() == GSS) {
            return OptionalInt.empty();
        }
        try {
            return call.program().get().status(call.message().procedure(), in);
        } catch (XdrException _) {
            return OptionalInt.empty();
        }
    }

    private static String statusName(NamedProgram program, int status) {
        return program.statusName(status)
                .orElseGet(() -> "status " + Integer.toUnsignedString(status));
    }

    private static int xid(MemorySegment message) {
        return message.byteSize() < Integer.BYTES ? 0 : message.get(UINT32, 0);
    }
}
