package io.github.rpcrdma4j.nfs.v3;

import io.github.rpcrdma4j.nfs.BindingRow;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/**
 * The Upper-Layer Binding of NFS version 3 (RFC 8267-4-1), with a row for each procedure. Eligible
 * items lie in the arms of result unions; a union itself is never eligible (RFC 8166-3.4.4.3-1).
 */
public final class Nfs3Binding implements UpperLayerBinding {
    /** The only instance; immutable. */
    public static final Nfs3Binding BINDING = new Nfs3Binding();

    private static final int STATUS = 4;
    private static final int WORD = 4;
    private static final int HYPER = 8;
    private static final int ATTRIBUTES = FileAttributes.BYTES;
    private static final int POST_OP = 4 + ATTRIBUTES;
    private static final int WCC = 4 + 24 + POST_OP;
    private static final int HANDLE = 4 + Nfs3.HANDLE_MAX;

    private static final BindingRow LIST =
            BindingRow.counted(STATUS + POST_OP, STATUS + POST_OP + HYPER);

    private static final Map<Procedure, BindingRow> ROWS = new EnumMap<>(Procedure.class);

    static {
        //                        eligible    fixed bytes of the results              repeatable
        row(Procedure.NULL, /*         */ 0, 0, 0, true);
        row(Procedure.GETATTR, /*      */ 0, 0, STATUS + ATTRIBUTES, true);
        row(Procedure.SETATTR, /*      */ 0, 0, STATUS + WCC, false);
        row(Procedure.LOOKUP, /*       */ 0, 0, STATUS + HANDLE + 2 * POST_OP, true);
        row(Procedure.ACCESS, /*       */ 0, 0, STATUS + POST_OP + WORD, true);
        row(Procedure.READLINK, /*     */ 0, 1, STATUS + POST_OP + WORD, true);
        row(Procedure.READ, /*         */ 0, 1, STATUS + POST_OP + 3 * WORD, true);
        row(Procedure.WRITE, /*        */ 1, 0, STATUS + WCC + 2 * WORD + HYPER, true);
        row(Procedure.CREATE, /*       */ 0, 0, STATUS + 4 + HANDLE + POST_OP + WCC, false);
        row(Procedure.MKDIR, /*        */ 0, 0, STATUS + 4 + HANDLE + POST_OP + WCC, false);
        row(Procedure.SYMLINK, /*      */ 1, 0, STATUS + 4 + HANDLE + POST_OP + WCC, false);
        row(Procedure.MKNOD, /*        */ 0, 0, STATUS + 4 + HANDLE + POST_OP + WCC, false);
        row(Procedure.REMOVE, /*       */ 0, 0, STATUS + WCC, false);
        row(Procedure.RMDIR, /*        */ 0, 0, STATUS + WCC, false);
        row(Procedure.RENAME, /*       */ 0, 0, STATUS + 2 * WCC, false);
        row(Procedure.LINK, /*         */ 0, 0, STATUS + POST_OP + WCC, false);
        // In RFC 1813 the count bounds the whole successful result but its status. The Linux server
        // counts the list of entries alone, so the attributes and the verifier are extra.
        ROWS.put(Procedure.READDIR, LIST);
        ROWS.put(Procedure.READDIRPLUS, LIST);
        row(Procedure.FSSTAT, /*       */ 0, 0, STATUS + POST_OP + 6 * HYPER + WORD, true);
        row(Procedure.FSINFO, /*       */ 0, 0, STATUS + POST_OP + 8 * WORD + 2 * HYPER, true);
        row(Procedure.PATHCONF, /*     */ 0, 0, STATUS + POST_OP + 6 * WORD, true);
        row(Procedure.COMMIT, /*       */ 0, 0, STATUS + WCC + HYPER, true);
    }

    /** By the numbers of the procedures: each call asks for one. */
    private static final Eligibility[] ELIGIBILITIES =
            Arrays.stream(Procedure.values())
                    .map(procedure -> ROWS.get(procedure).eligibility())
                    .toArray(Eligibility[]::new);

    private Nfs3Binding() {}

    private static void row(
            Procedure procedure, int arguments, int results, int resultsBytes, boolean repeatable) {
        ROWS.put(procedure, BindingRow.fixed(arguments, results, resultsBytes, repeatable));
    }

    @Override
    public int program() {
        return Nfs3.PROGRAM;
    }

    @Override
    public int version() {
        return Nfs3.VERSION;
    }

    /** Returns the row of a procedure. */
    public static BindingRow row(Procedure procedure) {
        return ROWS.get(procedure);
    }

    @Override
    public Eligibility eligibility(int procedure) {
        return Procedure.exists(procedure) ? ELIGIBILITIES[procedure] : Eligibility.NONE;
    }
}
