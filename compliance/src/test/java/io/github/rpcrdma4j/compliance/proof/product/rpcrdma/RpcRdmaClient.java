package io.github.rpcrdma4j.compliance.proof.product.rpcrdma;

/** A stand-in: a client of RPC-over-RDMA. */
public final class RpcRdmaClient {
    private RpcRdmaClient() {}

    public static void connect() {}
}
