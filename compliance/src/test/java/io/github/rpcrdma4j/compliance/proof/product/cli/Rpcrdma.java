package io.github.rpcrdma4j.compliance.proof.product.cli;

/** A stand-in: the command. */
public final class Rpcrdma {
    private Rpcrdma() {}

    public static int run(String... arguments) {
        return arguments.length;
    }
}
