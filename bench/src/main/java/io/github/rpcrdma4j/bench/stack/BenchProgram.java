package io.github.rpcrdma4j.bench.stack;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.rpcrdma.UpperLayerBinding;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** NULL, READ of bulk data that lies ready, and WRITE of bulk data that nobody looks at. */
final class BenchProgram implements RpcProgram {
    static final int PROGRAM = 0x2000_0043;
    static final int READ = 1;
    static final int WRITE = 2;

    static final UpperLayerBinding BINDING =
            new UpperLayerBinding() {
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
                    return switch (procedure) {
                        case READ -> new Eligibility(0, 1);
                        case WRITE -> new Eligibility(1, 0);
                        default -> Eligibility.NONE;
                    };
                }
            };

    private final MemorySegment data = Arena.ofShared().allocate(Work.LONGEST);

    @Override
    public int program() {
        return PROGRAM;
    }

    @Override
    public int lowestVersion() {
        return 1;
    }

    @Override
    public int highestVersion() {
        return 1;
    }

    /** Nothing here blocks; the others' calls run on the thread that reads, too. */
    @Override
    public boolean runsOnReader(int version, int procedure) {
        return true;
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
            default -> AcceptStatus.PROC_UNAVAIL;
        };
    }

    static RpcCall nothing() {
        return new RpcCall(PROGRAM, 1, 0, _ -> {}, 0);
    }

    static RpcCall read(MemorySegment target) {
        int length = (int) target.byteSize();
        return new RpcCall(PROGRAM, 1, READ, out -> out.uint32(length), 4, List.of(target));
    }

    static RpcCall write(MemorySegment source) {
        return new RpcCall(PROGRAM, 1, WRITE, out -> out.bulk(source), 0);
    }
}
