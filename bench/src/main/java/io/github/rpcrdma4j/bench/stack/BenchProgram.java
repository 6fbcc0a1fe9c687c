package io.github.rpcrdma4j.bench.stack;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * An RPC program for measurements. NULL does nothing, READ returns prepared bulk data, and WRITE
 * discards its bulk data. The result of LIST is not a bulk item, and the requester knows only its
 * greatest length.
 */
public final class BenchProgram implements RpcProgram {
    static final int PROGRAM = 0x2000_0043;
    public static final int READ = 1;
    static final int WRITE = 2;
    static final int LIST = 3;

    /** The binding in which the bulk data of READ and WRITE is DDP-eligible. */
    public static final UpperLayerBinding BINDING = binding(true, false);

    /**
     * Returns a binding of this program.
     *
     * @param placed whether the bulk data of READ and WRITE is DDP-eligible
     * @param fetched whether the requester fetches results, as RFC 5666 allows
     */
    public static UpperLayerBinding binding(boolean placed, boolean fetched) {
        int items = placed ? 1 : 0;
        var none = UpperLayerBinding.Eligibility.NONE.withFetchedReplies(fetched);
        return UpperLayerBinding.of(PROGRAM, 1)
                .procedure(0, none)
                .procedure(
                        READ,
                        new UpperLayerBinding.Eligibility(0, items).withFetchedReplies(fetched))
                .procedure(
                        WRITE,
                        new UpperLayerBinding.Eligibility(items, 0).withFetchedReplies(fetched))
                .procedure(LIST, none.withUnknownLength())
                .build();
    }

    private final UpperLayerBinding binding;
    private final MemorySegment data = Arena.ofShared().allocate(Work.LONGEST);

    public BenchProgram(UpperLayerBinding binding) {
        this.binding = binding;
    }

    @Override
    public ProgramId id() {
        return new ProgramId(PROGRAM, 1);
    }

    @Override
    public List<UpperLayerBinding> bindings() {
        return List.of(binding);
    }

    /**
     * Lets every call run on the polling thread: none blocks, and other stacks also run calls on
     * their reading threads.
     */
    @Override
    public ProcedureDescriptor procedure(int version, int procedure) {
        return ProcedureDescriptor.NULL;
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results) throws XdrException {
        var in = request.arguments();
        return switch (request.procedure()) {
            case 0 -> {
                in.finish();
                yield AcceptStatus.SUCCESS;
            }
            case READ -> {
                int length = in.uint32();
                in.finish();
                results.bulk(data.asSlice(0, length));
                yield AcceptStatus.SUCCESS;
            }
            case WRITE -> {
                in.bulk(Work.LONGEST);
                in.finish();
                yield AcceptStatus.SUCCESS;
            }
            case LIST -> {
                int length = in.uint32();
                in.finish();
                results.opaque(data.asSlice(0, length));
                yield AcceptStatus.SUCCESS;
            }
            default -> AcceptStatus.PROC_UNAVAIL;
        };
    }

    public static RpcCall nullCall() {
        return new RpcCall(PROGRAM, 1, 0, _ -> {}, 0);
    }

    public static RpcCall read(MemorySegment target) {
        int length = (int) target.byteSize();
        return new RpcCall(PROGRAM, 1, READ, out -> out.uint32(length), 4, List.of(target));
    }

    /**
     * Returns a READ whose result is not placed.
     *
     * @param length the length of the result in bytes
     */
    public static RpcCall readUnplaced(int length) {
        return new RpcCall(
                PROGRAM,
                1,
                READ,
                out -> out.uint32(length),
                Integer.BYTES + XdrWriter.roundUp(length));
    }

    public static RpcCall write(MemorySegment source) {
        return new RpcCall(PROGRAM, 1, WRITE, out -> out.bulk(source), 0);
    }

    /**
     * @param length the length of the list in bytes; only the server uses it
     * @param longest the greatest length that the requester expects, in bytes
     */
    public static RpcCall list(int length, int longest) {
        return new RpcCall(
                PROGRAM, 1, LIST, out -> out.uint32(length), Integer.BYTES + longest, List.of());
    }
}
