package io.github.rpcrdma4j.compliance.proof.product.rpcrdma;

/** A stand-in: starts a server of RPC-over-RDMA. */
public final class RpcRdmaServerBuilder {
    public void start() {}
}
