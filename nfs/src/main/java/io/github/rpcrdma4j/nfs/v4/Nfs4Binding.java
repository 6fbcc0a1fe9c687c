package io.github.rpcrdma4j.nfs.v4;

import io.github.rpcrdma4j.nfs.v4.CompoundCall.ReadOperation;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.util.List;
import java.util.OptionalLong;

/**
 * The Upper-Layer Binding of NFS version 4, for all its minor versions (RFC 8267, Section 6). The
 * n-th READ-class operation has the n-th Write chunk (RFC 8267-6.4.1-2).
 */
public final class Nfs4Binding implements UpperLayerBinding {
    /** The operation whose reply may need a longer Reply chunk (RFC 8267-6.2.1-1). */
    private static final String GETATTR = "GETATTR";

    /** The program number of NFS. */
    public static final int PROGRAM = 100003;

    public static final int VERSION = 4;

    /** The procedure that carries operations (RFC 8881, Section 16.2). */
    public static final int COMPOUND = 1;

    /** The only instance; immutable. */
    public static final Nfs4Binding BINDING = new Nfs4Binding();

    private static final int NULL = 0;

    private static final Plan EMPTY = new Plan(List.of(), List.of(), OptionalLong.of(0), false);

    private static final Eligibility OPERATIONS =
            new Eligibility(Operation.COUNT_MAX, Operation.COUNT_MAX).withPairing(Pairing.ORDINAL);

    private Nfs4Binding() {}

    @Override
    public int program() {
        return PROGRAM;
    }

    @Override
    public int version() {
        return VERSION;
    }

    @Override
    public Eligibility eligibility(int procedure) {
        return procedure == COMPOUND ? OPERATIONS : Eligibility.NONE;
    }

    @Override
    public Plan plan(int procedure, XdrReader arguments) {
        if (procedure != COMPOUND) {
            return procedure == NULL ? EMPTY : Plan.UNREAD;
        }
        var call = CompoundCall.walk(CompoundKind.COMPOUND, arguments);
        return new Plan(
                call.items().stream().map(OperationItem::bulkItem).toList(),
                call.reads().stream().map(each -> result(call, each)).toList(),
                switch (call.longestReducedResults()) {
                    case ResultsBound.Bytes(var most) -> OptionalLong.of(most);
                    case ResultsBound.Unbounded _ -> OptionalLong.empty();
                },
                mayTryLonger(call));
    }

    @Override
    public long resultsMax(int procedure, XdrReader arguments, long unknown) {
        return procedure == COMPOUND ? LongestReply.of(arguments, unknown) : 0;
    }

    private static Plan.BulkResult result(CompoundCall call, ReadOperation read) {
        return new Plan.BulkResult(read.dataMax(), call.operations().get(read.index()).position());
    }

    /** From minor version 1 on, the session bounds replies (RFC 8267-6.2.2-1). */
    private static boolean mayTryLonger(CompoundCall call) {
        return call.minorVersion() == 0
                && call.end().isComplete()
                && call.isRepeatable()
                && call.operations().stream()
                        .anyMatch(each -> each.operation().name().equals(GETATTR));
    }

    @Override
    public List<BulkItem> bulkResults(int procedure, XdrReader results) {
        return procedure == COMPOUND
                ? CompoundReply.walk(CompoundKind.COMPOUND, results).bulkItems()
                : List.of();
    }
}
