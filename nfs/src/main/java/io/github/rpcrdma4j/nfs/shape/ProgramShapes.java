package io.github.rpcrdma4j.nfs.shape;

import java.util.List;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/**
 * The shapes of all procedures of one version of a program, in the notation of {@link
 * ShapeNotation}. Immutable.
 *
 * <pre>
 *   number, name, again or once, arguments -&gt; results behind the status
 *   1 GETATTR again nfs_fh3 -&gt; fattr3
 *   number, name, again or once, arguments =&gt; results without a status
 *   0 NULL    again         =&gt;
 * </pre>
 *
 * {@code again} means that executing the procedure twice has the effect of executing it once.
 */
public final class ProgramShapes {
    private static final String AGAIN = "again";

    private final int program;
    private final int version;
    private final List<ProcedureShape> procedures;

    /**
     * Reads a table.
     *
     * @param types the types that the rows name
     * @param rows a row for each procedure
     */
    public ProgramShapes(int program, int version, ShapeNotation types, String rows) {
        this.program = program;
        this.version = version;
        var read = new TreeMap<Integer, ProcedureShape>();
        for (var row : rows.lines().toList()) {
            var procedure = procedure(types, row.strip());
            if (read.put(procedure.number(), procedure) != null) {
                throw new IllegalArgumentException("two rows have the number of " + row);
            }
        }
        this.procedures = List.copyOf(read.values());
    }

    private static ProcedureShape procedure(ShapeNotation types, String row) {
        boolean hasStatus = row.contains("->");
        var sides = row.split("[-=]>", -1);
        var words = sides[0].strip().split("\\s+", 4);
        var name = words[1];
        ToIntFunction<String> status = Integer::parseInt;
        return new ProcedureShape(
                Integer.parseInt(words[0]),
                name,
                words[2].equals(AGAIN),
                types.parts(words.length == 4 ? words[3] : ""),
                hasStatus ? types.results(name, sides[1], status) : types.parts(sides[1]));
    }

    /** Returns the program number. */
    public int program() {
        return program;
    }

    /** Returns the version of the program. */
    public int version() {
        return version;
    }

    /** Returns all procedures, in the order of their numbers. */
    public List<ProcedureShape> procedures() {
        return procedures;
    }
}
