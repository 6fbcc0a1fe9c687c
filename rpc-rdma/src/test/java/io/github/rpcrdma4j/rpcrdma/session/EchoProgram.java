package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * A program with bulk arguments, bulk results, and long arguments and results that are not bulk.
 *
 * <pre>
 *   0 NULL
 *   1 STORE    number, bulk data  ->  number, sum of the bytes
 *   2 FETCH    length, seed       ->  length, bulk data
 *   3 LIST     length, seed       ->  opaque data that may not be reduced
 *   4 TELL     opaque data that may not be reduced  ->  sum of the bytes
 *   5 SWAP     bulk data          ->  bulk data, the same
 *   6 FAIL     ->  SYSTEM_ERR
 *   7 JOIN     bulk data, bulk data  ->  sums of the bytes
 *   8 REPEAT   bulk data          ->  bulk data, and opaque data that may not be reduced, the same
 * </pre>
 */
public final class EchoProgram extends OneVersion {
    public static final int PROGRAM = 0x2000_0042;
    public static final int STORE = 1;
    public static final int FETCH = 2;
    public static final int LIST = 3;
    public static final int TELL = 4;
    static final int SWAP = 5;
    public static final int FAIL = 6;
    public static final int JOIN = 7;
    public static final int REPEAT = 8;
    private static final int MAX = 1 << 26;

    public static final UpperLayerBinding BINDING =
            new OneBinding(
                    PROGRAM,
                    procedure ->
                            switch (procedure) {
                                case STORE -> new UpperLayerBinding.Eligibility(1, 0);
                                case FETCH -> new UpperLayerBinding.Eligibility(0, 1);
                                case SWAP, REPEAT -> new UpperLayerBinding.Eligibility(1, 1);
                                case JOIN -> new UpperLayerBinding.Eligibility(2, 0);
                                default -> UpperLayerBinding.Eligibility.NONE;
                            });

    /** {@link #BINDING} with fetched replies (RFC 5666). */
    public static final UpperLayerBinding FETCHED =
            new OneBinding(
                    PROGRAM, procedure -> BINDING.eligibility(procedure).withFetchedReplies(true));

    public EchoProgram() {
        super(PROGRAM, 1);
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results) throws XdrException {
        var in = request.arguments();
        switch (request.procedure()) {
            case 0 -> in.finish();
            case STORE -> {
                int number = in.uint32();
                var data = in.bulk(MAX);
                in.finish();
                results.uint32(number).uint64(sum(data));
            }
            case FETCH -> {
                int length = length(in);
                int seed = in.uint32();
                in.finish();
                var lease = request.pool().lease(length);
                fill(lease.segment(), seed);
                results.uint32(length).bulk(lease.segment(), lease::close);
            }
            case LIST -> {
                int length = length(in);
                int seed = in.uint32();
                in.finish();
                results.opaque(pattern(length, seed));
            }
            case TELL -> {
                var data = in.opaque(MAX);
                in.finish();
                results.uint64(sum(data));
            }
            case SWAP, REPEAT -> {
                var data = in.bulk(MAX);
                in.finish();
                var lease = request.pool().lease(data.byteSize());
                lease.segment().copyFrom(data);
                results.bulk(lease.segment(), lease::close);
                if (request.procedure() == REPEAT) {
                    results.opaque(data.toArray(ValueLayout.JAVA_BYTE));
                }
            }
            case JOIN -> {
                var first = in.bulk(MAX);
                var second = in.bulk(MAX);
                in.finish();
                results.uint64(sum(first)).uint64(sum(second));
            }
            case FAIL -> {
                return AcceptStatus.SYSTEM_ERR;
            }
            default -> {
                return AcceptStatus.PROC_UNAVAIL;
            }
        }
        return AcceptStatus.SUCCESS;
    }

    private static int length(XdrReader in) throws XdrException {
        int length = in.uint32();
        if (length < 0 || length > MAX) {
            throw new XdrException("more than there is");
        }
        return length;
    }

    public static RpcCall nullCall() {
        return new RpcCall(PROGRAM, 1, 0, _ -> {}, 0);
    }

    public static RpcCall store(int number, MemorySegment data) {
        return new RpcCall(PROGRAM, 1, STORE, out -> out.uint32(number).bulk(data), 12);
    }

    public static RpcCall fetch(int length, int seed, MemorySegment target) {
        return new RpcCall(
                PROGRAM, 1, FETCH, out -> out.uint32(length).uint32(seed), 8, List.of(target));
    }

    public static RpcCall list(int length, int seed) {
        return new RpcCall(
                PROGRAM, 1, LIST, out -> out.uint32(length).uint32(seed), 4 + length + 3);
    }

    public static RpcCall tell(MemorySegment data) {
        return new RpcCall(PROGRAM, 1, TELL, out -> out.opaque(data), 8);
    }

    public static RpcCall swap(MemorySegment data, MemorySegment target) {
        return new RpcCall(PROGRAM, 1, SWAP, out -> out.bulk(data), 4, List.of(target));
    }

    public static RpcCall join(MemorySegment first, MemorySegment second) {
        return new RpcCall(PROGRAM, 1, JOIN, out -> out.bulk(first).bulk(second), 16);
    }

    public static byte[] pattern(int length, int seed) {
        byte[] bytes = new byte[length];
        fill(MemorySegment.ofArray(bytes), seed);
        return bytes;
    }

    public static void fill(MemorySegment data, int seed) {
        for (long i = 0; i < data.byteSize(); i++) {
            data.set(ValueLayout.JAVA_BYTE, i, (byte) ((i + seed) * 0x9e3779b1L >>> 13));
        }
    }

    public static long sum(MemorySegment data) {
        long sum = 0;
        for (long i = 0; i < data.byteSize(); i++) {
            sum = sum * 31 + data.get(ValueLayout.JAVA_BYTE, i);
        }
        return sum;
    }
}
