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

/** The Upper-Layer Binding of a program whose procedures have shapes. Immutable. */
public final class ShapedBinding implements UpperLayerBinding {
    /** The argument that bounds the results of a listing procedure. */
    private static final String COUNT = "count";

    /** A count that is larger than any results without a count. */
    private static final int LARGE = 1 << 24;

    /**
     * A procedure, with what each call asks for.
     *
     * @param resultsMax the most bytes of the results if no argument has a part in them
     */
    private record Bound(
            ProcedureShape shape,
            BindingRow row,
            Eligibility eligibility,
            OptionalLong resultsMax) {
        static Bound of(ProcedureShape shape) {
            var row = ShapedBinding.row(shape);
            return new Bound(shape, row, row.eligibility(), shape.resultsMax(Map.of()));
        }

        OptionalLong resultsMax(Map<String, Integer> named) {
            return named.isEmpty() ? resultsMax : shape.resultsMax(named);
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

    private static BindingRow row(ProcedureShape shape) {
        long least = shape.resultsMax(Map.of(COUNT, 0)).orElse(Integer.MAX_VALUE);
        long beside = shape.resultsMax(Map.of(COUNT, LARGE)).orElse(0) - LARGE;
        return new BindingRow(
                shape.bulkArguments(),
                shape.bulkResults(),
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
        var named = walk.takeNamed();
        return new Plan(
                items,
                bound.eligibility().results() == 0
                        ? List.of()
                        : List.of(new Plan.BulkResult(bound.shape().dataMax(named), 0)),
                bound.resultsMax(named),
                tryLonger.contains(procedure));
    }

    @Override
    public List<BulkItem> bulkResults(int procedure, XdrReader results) {
        var items = new ArrayList<BulkItem>();
        var bound = procedures.get(procedure);
        if (bound != null && bound.eligibility().results() > 0) {
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
