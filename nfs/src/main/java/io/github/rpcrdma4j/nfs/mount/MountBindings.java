package io.github.rpcrdma4j.nfs.mount;

import io.github.rpcrdma4j.nfs.shape.ProgramShapes;
import io.github.rpcrdma4j.nfs.shape.ShapeNotation;
import io.github.rpcrdma4j.nfs.shape.ShapedBinding;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import java.util.Set;

/**
 * The Upper-Layer Bindings of MOUNT (RFC 8267, Section 5.1): none of its items is eligible. RFC
 * 8267 does not name version 1; its calls travel inline or in long messages as well.
 */
public final class MountBindings {
    private static final ShapeNotation TYPES =
            new ShapeNotation(
                    """
            dirpath    opaque<1024>
            name       opaque<255>
            fhandle    fixed[32]
            fhandle3   opaque<64>
            mountbody  name dirpath
            exportnode dirpath name*
            """);

    private static final String VERSIONS_1_AND_2 =
            """
            0 NULL      again =>
            1 MNT       again dirpath -> fhandle
            2 DUMP      again => mountbody*
            3 UMNT      again dirpath =>
            4 UMNTALL   again =>
            5 EXPORT    again => exportnode*
            6 EXPORTALL again => exportnode*
            """;

    /** The binding of version 1, beside NFS version 2 (RFC 1094, Appendix A). */
    public static final UpperLayerBinding VERSION_1 = binding(Mount1.VERSION, VERSIONS_1_AND_2);

    /** The binding of version 2, which adds PATHCONF for POSIX. */
    public static final UpperLayerBinding VERSION_2 =
            binding(2, VERSIONS_1_AND_2 + "7 PATHCONF again dirpath => fixed[40]");

    /** The binding of version 3, beside NFS version 3 (RFC 1813, Appendix I). */
    public static final UpperLayerBinding VERSION_3 =
            binding(
                    Mount3.VERSION,
                    """
            0 NULL    again =>
            1 MNT     again dirpath -> fhandle3 word<16?>
            2 DUMP    again => mountbody*
            3 UMNT    again dirpath =>
            4 UMNTALL again =>
            5 EXPORT  again => exportnode*
            """);

    private MountBindings() {}

    private static UpperLayerBinding binding(int version, String rows) {
        return new ShapedBinding(new ProgramShapes(Mount3.PROGRAM, version, TYPES, rows), Set.of());
    }
}
