package io.github.rpcrdma4j.nfs.v3;

import io.github.rpcrdma4j.nfs.BindingRow;
import io.github.rpcrdma4j.nfs.shape.ShapedBinding;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import java.util.Arrays;
import java.util.Set;

/**
 * The Upper-Layer Binding of NFS version 3 (RFC 8267-4-1). Eligible items lie in the arms of result
 * unions; a union itself is never eligible (RFC 8166-3.4.4.3-1).
 */
public final class Nfs3Binding {
    /** A requester tries no procedure again with a longer Reply chunk (RFC 8267-4.1-1). */
    private static final ShapedBinding SHAPED = new ShapedBinding(Nfs3Shapes.ALL, Set.of());

    /** The binding. */
    public static final UpperLayerBinding BINDING = SHAPED;

    /** By the numbers of the procedures: each call of a client asks for one. */
    private static final BindingRow[] ROWS =
            Arrays.stream(Procedure.values())
                    .map(procedure -> SHAPED.row(procedure.number()))
                    .toArray(BindingRow[]::new);

    private Nfs3Binding() {}

    /** Returns the row of a procedure. */
    public static BindingRow row(Procedure procedure) {
        return ROWS[procedure.number()];
    }
}
