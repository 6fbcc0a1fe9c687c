package io.github.rpcrdma4j.compliance.proof.product.gateway;

/** A stand-in: the gateway. */
public final class Gateway {
    public Gateway() {}
}
