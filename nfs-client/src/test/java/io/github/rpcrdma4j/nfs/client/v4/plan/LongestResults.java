package io.github.rpcrdma4j.nfs.client.v4.plan;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.v4.CompoundCall;
import io.github.rpcrdma4j.nfs.v4.CompoundKind;
import io.github.rpcrdma4j.nfs.v4.ResultsBound;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/** The longest results of a plan, as the binding finds them by a walk over its arguments. */
public final class LongestResults {
    private static final OpaqueName NO_TAG = OpaqueName.of(new byte[0]);

    private LongestResults() {}

    /** Returns how many bytes they have, with status, tag and count, and without data. */
    public static long of(Plan plan) {
        return switch (bound(plan)) {
            case ResultsBound.Bytes(var bytes) -> bytes;
            case ResultsBound.Unbounded(var index, var cause) ->
                    throw new AssertionError("no bound: " + index + " " + cause);
        };
    }

    static ResultsBound bound(Plan plan) {
        try (var out = new XdrWriter(new SegmentPool(1 << 16))) {
            new CompoundArguments(NO_TAG, 2, plan.operations()).encode(out);
            out.inlineBulkItems();
            return CompoundCall.walk(CompoundKind.COMPOUND, new XdrReader(out.reducedStream()))
                    .longestReducedResults();
        }
    }
}
