package io.github.rpcrdma4j.compliance.proof.product.nfs.server;

/** A stand-in: the NFS server. */
public final class NfsServer {
    public NfsServer() {}
}
