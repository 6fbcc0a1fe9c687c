package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;

/**
 * The procedures of NFS, versions 3 and 4, that the worked examples need. READ returns {@link
 * #pattern}, and WRITE accepts no other data.
 */
final class ExampleProgram implements RpcProgram {
    static final int PROGRAM = 100003;
    private static final int READ = 6;
    private static final int WRITE = 7;
    private static final int SYMLINK = 10;
    private static final int READDIR = 16;
    private static final int COMPOUND = 1;
    private static final int OP_GETATTR = 9;
    private static final int OP_PUTFH = 22;
    private static final int OP_READ = 25;
    private static final int OP_READLINK = 27;
    private static final int OP_WRITE = 38;
    private static final int OP_SEQUENCE = 53;
    private static final int STATEID_BYTES = 16;
    private static final int HANDLE_BYTES = 32;
    private static final int SATTR_BYTES = 24;
    private static final int IO_ERROR = 5;
    private static final int MAX = 1 << 17;
    private static final byte[] LINK = "../target".getBytes(StandardCharsets.US_ASCII);

    /** The data of READ and WRITE: one per procedure in version 3, two of each per COMPOUND. */
    static final List<UpperLayerBinding> BINDINGS = List.of(binding(3), binding(4));

    private final ArrayDeque<Integer> reads;
    private final byte[] listing;

    /**
     * @param reads the length of the data of each READ, in order, in bytes
     * @param listing the results of READDIR
     */
    ExampleProgram(List<Integer> reads, byte[] listing) {
        this.reads = new ArrayDeque<>(reads);
        this.listing = listing;
    }

    private static UpperLayerBinding binding(int version) {
        return new UpperLayerBinding() {
            @Override
            public int program() {
                return PROGRAM;
            }

            @Override
            public int version() {
                return version;
            }

            @Override
            public Eligibility eligibility(int procedure) {
                if (version == 4) {
                    return procedure == COMPOUND
                            ? new Eligibility(2, 2).withPairing(Pairing.ORDINAL)
                            : Eligibility.NONE;
                }
                return switch (procedure) {
                    case READ -> new Eligibility(0, 1);
                    case WRITE -> new Eligibility(1, 0);
                    default -> Eligibility.NONE;
                };
            }
        };
    }

    @Override
    public ProgramId id() {
        return new ProgramId(PROGRAM, 3, 4);
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results) throws XdrException {
        var in = request.arguments();
        if (request.version() == 4 && request.procedure() == COMPOUND) {
            compound(in, results);
            return AcceptStatus.SUCCESS;
        }
        switch (request.procedure()) {
            case 0 -> in.finish();
            case READ -> {
                in.opaque(64);
                in.uint64();
                int count = in.uint32();
                in.finish();
                int length = reads.remove();
                results.uint32(0).bool(false).uint32(length).bool(length < count);
                results.bulk(data(length));
            }
            case WRITE -> {
                in.opaque(64);
                in.uint64();
                in.uint32();
                in.uint32();
                int length = written(in);
                in.finish();
                results.uint32(length < 0 ? IO_ERROR : 0).bool(false).bool(false);
                results.uint32(length).uint32(2).uint64(0);
            }
            case SYMLINK -> {
                in.opaque(64);
                in.string(255);
                in.fixedOpaque(24);
                in.opaque(MAX);
                in.finish();
                results.uint32(0).bool(false).bool(false).bool(false).bool(false);
            }
            case READDIR -> results.fixedOpaque(listing);
            default -> {
                return AcceptStatus.PROC_UNAVAIL;
            }
        }
        return AcceptStatus.SUCCESS;
    }

    private void compound(XdrReader in, XdrWriter results) throws XdrException {
        in.opaque(MAX);
        in.uint32();
        int operations = in.uint32();
        results.uint32(0).uint32(0).uint32(operations);
        for (int i = 0; i < operations; i++) {
            int operation = in.uint32();
            results.uint32(operation);
            switch (operation) {
                case OP_GETATTR -> {
                    in.fixedOpaque(4L * in.count(4, 3));
                    results.uint32(0).uint32(0).uint32(0);
                }
                case OP_PUTFH -> {
                    in.opaque(128);
                    results.uint32(0);
                }
                case OP_READ -> {
                    in.fixedOpaque(STATEID_BYTES);
                    in.uint64();
                    int count = in.uint32();
                    int length = reads.remove();
                    results.uint32(0).bool(length < count).bulk(data(length));
                }
                case OP_READLINK -> results.uint32(0).opaque(LINK);
                case OP_WRITE -> {
                    in.fixedOpaque(STATEID_BYTES);
                    in.uint64();
                    in.uint32();
                    int length = written(in);
                    results.uint32(length < 0 ? IO_ERROR : 0).uint32(length).uint32(2).uint64(0);
                }
                case OP_SEQUENCE -> {
                    var session = in.fixedOpaque(16);
                    results.uint32(0).fixedOpaque(session);
                    results.uint32(in.uint32()).uint32(in.uint32()).uint32(in.uint32());
                    in.uint32();
                    results.uint32(0).uint32(0);
                }
                default -> throw new XdrException("no such operation");
            }
        }
        in.finish();
    }

    /** Returns the length of the written data, or -1 if it is not {@link #pattern}. */
    private static int written(XdrReader in) throws XdrException {
        var data = in.bulk(MAX);
        int length = (int) data.byteSize();
        return Arrays.equals(data.toArray(ValueLayout.JAVA_BYTE), pattern(length)) ? length : -1;
    }

    /** Returns the message of a long call of {@code bytes} bytes: a SYMLINK in version 3. */
    static byte[] symlink(int bytes) {
        var message = header(bytes, 3, SYMLINK);
        message.putInt(HANDLE_BYTES).put(new byte[HANDLE_BYTES]).putInt(4).putInt(0x6c696e6b);
        message.put(new byte[SATTR_BYTES]).putInt(message.remaining() - 4);
        return message.array();
    }

    /** Returns the message of a long call of {@code bytes} bytes: a COMPOUND without its data. */
    static byte[] write(int bytes, int dataBytes) {
        var message = header(bytes, 4, COMPOUND);
        int behindTag = 8 + 8 + HANDLE_BYTES + 4 + STATEID_BYTES + 8 + 4 + 4;
        int tag = message.remaining() - 4 - behindTag;
        message.putInt(tag).put(new byte[tag]).putInt(0).putInt(2);
        message.putInt(OP_PUTFH).putInt(HANDLE_BYTES).put(new byte[HANDLE_BYTES]);
        message.putInt(OP_WRITE).put(new byte[STATEID_BYTES]).putLong(0).putInt(2);
        message.putInt(dataBytes);
        return message.array();
    }

    private static ByteBuffer header(int bytes, int version, int procedure) {
        var message = ByteBuffer.allocate(bytes);
        message.putInt(0x0a0b0c0d).putInt(0).putInt(2);
        message.putInt(PROGRAM).putInt(version).putInt(procedure);
        return message.putLong(0).putLong(0);
    }

    /** Returns the data that READ returns and WRITE expects. */
    static byte[] pattern(int length) {
        return EchoProgram.pattern(length, 0);
    }

    private static MemorySegment data(int length) {
        var memory = Arena.ofAuto().allocate(Math.max(1, length)).asSlice(0, length);
        return memory.copyFrom(MemorySegment.ofArray(pattern(length)));
    }
}
