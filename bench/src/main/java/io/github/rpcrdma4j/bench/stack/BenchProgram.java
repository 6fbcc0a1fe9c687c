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
 * NULL, READ of bulk data that lies ready, WRITE of bulk data that nobody looks at, and LIST, whose
 * result is no bulk data and tells its length only when it is there.
 */
public final class BenchProgram implements RpcProgram {
    static final int PROGRAM = 0x2000_0043;
    static final int READ = 1;
    static final int WRITE = 2;
    static final int LIST = 3;

    /** The bulk data of READ and WRITE is eligible. */
    public static final UpperLayerBinding BINDING = new Binding(true, false);

    /**
     * @param placed whether the bulk data of READ and WRITE is eligible
     * @param fetched whether, by RFC 5666, results are left for callers to fetch
     */
    public record Binding(boolean placed, boolean fetched) implements UpperLayerBinding {
        @Override
        public int program() {
            return PROGRAM;
        }

        @Override
        public int version() {
            return 1;
        }

        @Override
        public Eligibility eligibility(int procedure) {
            int items = placed ? 1 : 0;
            return switch (procedure) {
                case READ -> new Eligibility(0, items).withFetchedReplies(fetched);
                case WRITE -> new Eligibility(items, 0).withFetchedReplies(fetched);
                case LIST -> new Eligibility(0, 0).withFetchedReplies(fetched).withUnknownLength();
                default -> new Eligibility(0, 0).withFetchedReplies(fetched);
            };
        }
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

    /** Nothing here blocks; the others' calls run on the thread that reads, too. */
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

    public static RpcCall nothing() {
        return new RpcCall(PROGRAM, 1, 0, _ -> {}, 0);
    }

    public static RpcCall read(MemorySegment target) {
        int length = (int) target.byteSize();
        return new RpcCall(PROGRAM, 1, READ, out -> out.uint32(length), 4, List.of(target));
    }

    public static RpcCall write(MemorySegment source) {
        return new RpcCall(PROGRAM, 1, WRITE, out -> out.bulk(source), 0);
    }

    /**
     * @param length of the list, which the server alone is to know
     * @param longest what the caller takes it to be at the most
     */
    public static RpcCall list(int length, int longest) {
        return new RpcCall(
                PROGRAM, 1, LIST, out -> out.uint32(length), Integer.BYTES + longest, List.of());
    }
}
