package io.github.rpcrdma4j.nfs.lock;

import io.github.rpcrdma4j.nfs.shape.ProgramShapes;
import io.github.rpcrdma4j.nfs.shape.ShapeNotation;
import io.github.rpcrdma4j.nfs.shape.ShapedBinding;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import java.util.Set;

/** The Upper-Layer Binding of the Network Status Monitor (RFC 8267, Section 5.1). */
public final class Nsm {
    /** The program number. */
    public static final int PROGRAM = 100024;

    private static final ShapeNotation TYPES =
            new ShapeNotation(
                    """
            name     opaque<1024>
            my_id    name word word word
            mon_id   name my_id
            """);

    /** The binding of version 1, the only one. */
    public static final UpperLayerBinding VERSION_1 =
            new ShapedBinding(
                    new ProgramShapes(
                            PROGRAM,
                            1,
                            TYPES,
                            """
            0 NULL        again =>
            1 STAT        again name => word word
            2 MON         again mon_id fixed[16] => word word
            3 UNMON       again mon_id => word
            4 UNMON_ALL   again my_id => word
            5 SIMU_CRASH  once  =>
            6 NOTIFY      again name word =>
            """),
                    Set.of());

    private Nsm() {}
}
