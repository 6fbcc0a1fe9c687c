package io.github.rpcrdma4j.nfs.v3;

/** Numbers and limits of NFS version 3 (RFC 1813, Section 2). */
public final class Nfs3 {
    public static final int PROGRAM = 100003;
    public static final int VERSION = 3;

    /** The longest file handle, in bytes. */
    public static final int HANDLE_MAX = 64;

    /** The longest path in a symbolic link, in bytes. */
    public static final int PATH_MAX = 4096;

    /** The most data of a READ or WRITE that is decoded, in bytes. */
    public static final int TRANSFER_MAX = 1 << 26;

    /** ACCESS bits (RFC 1813, Section 3.3.4). */
    public static final int ACCESS_READ = 0x01;

    public static final int ACCESS_LOOKUP = 0x02;
    public static final int ACCESS_MODIFY = 0x04;
    public static final int ACCESS_EXTEND = 0x08;
    public static final int ACCESS_DELETE = 0x10;
    public static final int ACCESS_EXECUTE = 0x20;

    /** All bits of ACCESS. */
    public static final int ACCESS_ALL = 0x3f;

    private Nfs3() {}
}
