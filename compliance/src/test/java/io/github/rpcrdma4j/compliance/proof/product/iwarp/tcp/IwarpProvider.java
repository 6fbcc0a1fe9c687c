package io.github.rpcrdma4j.compliance.proof.product.iwarp.tcp;

/** A stand-in: the provider. */
public final class IwarpProvider {
    public IwarpProvider() {}
}
