package io.github.rpcrdma4j.nfs;

/** The ports of NFS servers, of all versions. */
public final class NfsPort {
    /** Over RDMA (RFC 8267-9-1, 5666-12-2). */
    public static final int RDMA = 20049;

    /** Over TCP (RFC 1813, Section 2.1; RFC 8881, Section 2.9.3). */
    public static final int TCP = 2049;

    private NfsPort() {}
}
