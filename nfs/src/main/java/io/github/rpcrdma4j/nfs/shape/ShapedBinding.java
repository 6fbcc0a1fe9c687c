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
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/** The Upper-Layer Binding of a program whose procedures have shapes. Immutable. */
public final class ShapedBinding implements UpperLayerBinding {
    /** The argument that bounds the results of a listing procedure. */
    private static final String COUNT = "count";

    /** A count that is larger than any results without a count. */
    private static final int LARGE = 1 << 24;

    private final ProgramShapes shapes;
    private final Set<Integer> tryLonger;

    /** By procedure: each call asks for one. */
    private final Map<Integer, Eligibility> eligibilities = new HashMap<>();

    /**
     * Creates a binding.
     *
     * @param tryLonger the procedures that a requester may try again with a longer Reply chunk
     */
    public ShapedBinding(ProgramShapes shapes, Set<Integer> tryLonger) {
        this.shapes = shapes;
        this.tryLonger = Set.copyOf(tryLonger);
        for (var each : shapes.procedures()) {
            eligibilities.put(each.number(), row(each).eligibility());
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
        return eligibilities.getOrDefault(procedure, Eligibility.NONE);
    }

    /**
     * Returns the row of a procedure in the table of the binding. The row of a procedure whose
     * results have no limit says the most that it can.
     *
     * @throws java.util.NoSuchElementException if there is no such procedure
     */
    public BindingRow row(int procedure) {
        return row(shapes.procedure(procedure).orElseThrow());
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
        var found = shapes.procedure(procedure);
        if (found.isEmpty()) {
            return Plan.UNREAD;
        }
        var shape = found.get();
        var items = new ArrayList<BulkItem>();
        var walk = new ShapeWalk(arguments, (position, data) -> add(items, position, data));
        try {
            walk.skip(shape.arguments());
        } catch (XdrException _) {
            return new Plan(items, List.of(), OptionalLong.empty(), false);
        }
        var named = walk.takeNamed();
        return new Plan(
                items,
                shape.bulkResults() == 0 ? List.of() : List.of(shape.dataMax(named)),
                shape.resultsMax(named),
                tryLonger.contains(procedure));
    }

    @Override
    public List<BulkItem> bulkResults(int procedure, XdrReader results) {
        var items = new ArrayList<BulkItem>();
        var shape = shapes.procedure(procedure).filter(each -> each.bulkResults() > 0);
        if (shape.isPresent()) {
            var walk = new ShapeWalk(results, (position, data) -> add(items, position, data));
            try {
                walk.skip(shape.get().results());
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
