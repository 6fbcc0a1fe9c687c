package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3CallDecoder;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v4.CompoundCall;
import io.github.rpcrdma4j.nfs.v4.CompoundKind;
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

    /** The entry for operations whose names could not be found. */
    private static final String MORE = "...";

    /** Zeros in place of the bytes of chunks. */
    private byte[] zeros = new byte[0];

    /** A decoded call with its fault, if there is one. */
    record DecodedCall(RpcMessage message, Optional<Finding> finding) {}

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
            return new DecodedCall(
                    new RpcMessage.Unreadable(xid(message), malformed.getMessage()),
                    Optional.of(Rules.badCall(malformed.getMessage())));
        }
        if (header.rpcVersion() != CallHeader.RPC_VERSION) {
            return new DecodedCall(
                    new RpcMessage.Unreadable(header.xid(), "another version of RPC"),
                    Optional.of(Rules.rpcVersion(header.rpcVersion())));
        }
        var name = ProgramNames.of(header.program(), header.version(), header.procedure());
        List<String> operations = List.of();
        Optional<Finding> finding = Optional.empty();
        if (header.credential().flavor() != GSS) {
            if (isCompound(header)) {
                operations = operations(header.program(), in);
            } else if (judged && !isTooLarge(chunks)) {
                finding = judge(header, in);
            }
        }
        return new DecodedCall(
                new RpcMessage.Call(
                        header.xid(),
                        header.program(),
                        header.version(),
                        header.procedure(),
                        header.credential().flavor(),
                        name,
                        operations),
                finding);
    }

    /**
     * Returns the names of the operations of a COMPOUND or CB_COMPOUND, followed by {@link #MORE}
     * if not all could be found.
     */
    private static List<String> operations(int program, XdrReader in) {
        var kind =
                ProgramNames.isCallback(program) ? CompoundKind.CB_COMPOUND : CompoundKind.COMPOUND;
        var call = CompoundCall.walk(kind, in);
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
        return header.program() == Nfs3.PROGRAM
                        && header.version() == ProgramNames.NFS_VERSION_4
                        && header.procedure() == ProgramNames.COMPOUND
                || ProgramNames.isCallback(header.program())
                        && header.procedure() == ProgramNames.COMPOUND;
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
    RpcMessage reply(MemorySegment message, Optional<RpcMessage.Call> call) {
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
            var name = status.isPresent() ? statusName(call.get(), status.getAsInt()) : "";
            return new RpcMessage.Reply(header.xid(), outcome, status, name);
        } catch (XdrException malformed) {
            return new RpcMessage.Unreadable(xid(message), malformed.getMessage());
        }
    }

    private static String range(int low, int high) {
        return Integer.toUnsignedString(low) + " to " + Integer.toUnsignedString(high);
    }

    /** Returns the first word of the results, if it is a status. */
    private static OptionalInt status(RpcMessage.Call call, XdrReader in) throws XdrException {
        boolean hasStatus =
                switch (call.program()) {
                    case Nfs3.PROGRAM -> call.procedure() != 0;
                    case Mount3.PROGRAM -> call.procedure() == Mount3.Procedure.MNT.number();
                    default ->
                            ProgramNames.isCallback(call.program())
                                    && call.procedure() == ProgramNames.COMPOUND;
                };
        return hasStatus && call.flavor() != GSS && in.remaining() >= Integer.BYTES
                ? OptionalInt.of(in.uint32())
                : OptionalInt.empty();
    }

    private static String statusName(RpcMessage.Call call, int status) {
        var number = Integer.toUnsignedString(status);
        if (call.program() != Nfs3.PROGRAM || call.version() != Nfs3.VERSION) {
            return status == 0 ? "OK" : "status " + number;
        }
        for (var known : Status.values()) {
            if (known.number() == status) {
                return known.name();
            }
        }
        return "status " + number;
    }

    private static int xid(MemorySegment message) {
        return message.byteSize() < Integer.BYTES ? 0 : message.get(UINT32, 0);
    }
}
