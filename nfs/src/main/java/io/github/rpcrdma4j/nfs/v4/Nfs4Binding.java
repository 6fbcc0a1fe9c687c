package io.github.rpcrdma4j.nfs.v4;

import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;

/**
 * The Upper-Layer Binding of NFS version 4, for all its minor versions (RFC 8267, Section 6). The
 * n-th READ-class operation has the n-th Write chunk (RFC 8267-6.4.1-2).
 */
public final class Nfs4Binding implements UpperLayerBinding {
    /** The program number of NFS. */
    public static final int PROGRAM = 100003;

    public static final int VERSION = 4;

    /** The procedure that carries operations (RFC 8881, Section 16.2). */
    public static final int COMPOUND = 1;

    /** The only instance; immutable. */
    public static final Nfs4Binding BINDING = new Nfs4Binding();

    private static final Eligibility OPERATIONS =
            new Eligibility(ShapeWalk.OPERATIONS_MAX, ShapeWalk.OPERATIONS_MAX)
                    .withPairing(Pairing.ORDINAL);

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
}
