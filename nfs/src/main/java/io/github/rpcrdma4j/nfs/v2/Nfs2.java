package io.github.rpcrdma4j.nfs.v2;

/** Limits of NFS version 2 (RFC 1094, Section 2.2). */
public final class Nfs2 {
    /** The most data of a READ or WRITE, in bytes. */
    public static final int DATA_MAX = 8192;

    /** The longest path in a symbolic link, in bytes. */
    public static final int PATH_MAX = 1024;

    /** The longest name of a file, in bytes. */
    public static final int NAME_MAX = 255;

    /** The largest size of a file, and the largest end of a READ or WRITE, in bytes. */
    public static final long SIZE_MAX = 0xffff_ffffL;

    private Nfs2() {}
}
