package io.github.rpcrdma4j.nfs.v2;

import io.github.rpcrdma4j.rpcrdma.UpperLayerBinding;

/** What of NFS version 2 may be placed directly: four items, one each of four procedures. */
public final class Nfs2Binding implements UpperLayerBinding {
    /** The only one; immutable. */
    public static final Nfs2Binding BINDING = new Nfs2Binding();

    private static final int PROGRAM = 100003;
    private static final int VERSION = 2;

    /** Procedure numbers (RFC 1094, Section 2.2). */
    private static final int READLINK = 5;

    private static final int READ = 6;
    private static final int WRITE = 8;
    private static final int SYMLINK = 13;

    private Nfs2Binding() {}

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
        return switch (procedure) {
            case READLINK, READ -> new Eligibility(0, 1);
            case WRITE, SYMLINK -> new Eligibility(1, 0);
            default -> Eligibility.NONE;
        };
    }
}
