package io.github.rpcrdma4j.nfs.shape;

import io.github.rpcrdma4j.nfs.BindingRow;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The Upper-Layer Binding of a program whose procedures have shapes. Immutable.
 *
 * <p>Tests: {@code ProgramVectorsTest}.
 */
public final class ShapedBinding implements UpperLayerBinding {
    /** The argument that bounds the results of a listing procedure. */
    private static final String COUNT = "count";

    /** A count that is larger than any results without a count. */
    private static final int LARGE = 1 << 24;

    /**
     * A procedure, with what each call asks for.
     *
     * @param bulkResult the bulk item of the results
     * @param resultsMax the bound of the results without the data of the bulk item
     */
    private record Bound(
            ProcedureShape shape,
            BindingRow row,
            Eligibility eligibility,
            Optional<Shape.Opaque> bulkResult,
            ArgumentBound resultsMax) {
        static Bound of(ProcedureShape shape) {
            var resultsMax = shape.resultsMax();
            var row = ShapedBinding.row(shape, resultsMax);
            return new Bound(shape, row, row.eligibility(), shape.bulkResult(), resultsMax);
        }

        OptionalLong resultsMax(NamedArguments named) {
            return resultsMax.of(named);
        }

        boolean hasBulkResult() {
            return bulkResult.isPresent();
        }

        OptionalLong dataMax(NamedArguments named) {
            return ShapeBound.dataMax(bulkResult.orElseThrow(), named);
        }
    }

    private final ProgramShapes shapes;
    private final Set<Integer> tryLonger;
    private final Map<Integer, Bound> procedures = new HashMap<>();

    /**
     * Creates a binding.
     *
     * @param tryLonger the procedures that a requester may try again with a longer Reply chunk
     */
    public ShapedBinding(ProgramShapes shapes, Set<Integer> tryLonger) {
        this.shapes = shapes;
        this.tryLonger = Set.copyOf(tryLonger);
        for (var each : shapes.procedures()) {
            procedures.put(each.number(), Bound.of(each));
        }
    }

    @Override
    public int program() {
        return shapes.program();
    }

    @Override
    public int version() {
        return shapes.version();
    }

    @Override
    public Eligibility eligibility(int procedure) {
        var bound = procedures.get(procedure);
        return bound == null ? Eligibility.NONE : bound.eligibility();
    }

    /**
     * Returns the row of a procedure in the table of the binding. The row of a procedure whose
     * results have no limit says the most that it can.
     *
     * @throws java.util.NoSuchElementException if there is no such procedure
     */
    public BindingRow row(int procedure) {
        return Optional.ofNullable(procedures.get(procedure)).orElseThrow().row();
    }

    private static BindingRow row(ProcedureShape shape, ArgumentBound resultsMax) {
        long least = resultsMax.of(NamedArguments.of(COUNT, 0)).orElse(Integer.MAX_VALUE);
        long beside = resultsMax.of(NamedArguments.of(COUNT, LARGE)).orElse(0) - LARGE;
        return new BindingRow(
                shape.bulkArguments(),
                shape.bulkResult().isPresent() ? 1 : 0,
                Math.toIntExact(least),
                beside > 0 ? OptionalInt.of((int) beside) : OptionalInt.empty(),
                shape.isRepeatable());
    }

    @Override
    public Plan plan(int procedure, XdrReader arguments) {
        var bound = procedures.get(procedure);
        if (bound == null) {
            return Plan.UNREAD;
        }
        var items = new ArrayList<BulkItem>();
        var walk = new ShapeWalk(arguments, (position, data) -> add(items, position, data));
        try {
            walk.skip(bound.shape().arguments());
        } catch (XdrException _) {
            return new Plan(items, List.of(), OptionalLong.empty(), false);
        }
        var named = walk.named();
        return new Plan(
                items,
                bound.hasBulkResult()
                        ? List.of(new Plan.BulkResult(bound.dataMax(named), 0))
                        : List.of(),
                bound.resultsMax(named),
                tryLonger.contains(procedure));
    }

    @Override
    public long resultsMax(int procedure, XdrReader arguments, long unknown) {
        var bound = procedures.get(procedure);
        if (bound == null) {
            return 0;
        }
        var fixed = bound.resultsMax(NamedArguments.NONE);
        if (fixed.isPresent() && !bound.hasBulkResult()) {
            return fixed.getAsLong();
        }
        long without = bound.hasBulkResult() ? unknown : 0;
        var walk = new ShapeWalk(arguments);
        try {
            walk.skip(bound.shape().arguments());
        } catch (XdrException _) {
            return without;
        }
        var most = bound.resultsMax(walk.named());
        if (most.isEmpty()) {
            return without;
        }
        return most.getAsLong()
                + (bound.hasBulkResult() ? bound.dataMax(walk.named()).orElse(unknown) : 0);
    }

    @Override
    public List<BulkItem> bulkResults(int procedure, XdrReader results) {
        var items = new ArrayList<BulkItem>();
        var bound = procedures.get(procedure);
        if (bound != null && bound.hasBulkResult()) {
            var walk = new ShapeWalk(results, (position, data) -> add(items, position, data));
            try {
                walk.skip(bound.shape().results());
                if (items.isEmpty()) {
                    results.absentBulk();
                }
            } catch (XdrException _) {
                return items;
            }
        }
        return items;
    }

    private static void add(List<BulkItem> items, long position, MemorySegment data) {
        items.add(new BulkItem(position, data, items.size()));
    }
}
