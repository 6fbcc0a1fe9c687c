package io.github.rpcrdma4j.cli.terminal;

/** The version of the command, as all its output tells it. */
public final class Version {
    public static final String NUMBER = "0.1.0";

    public static final String WORDS = "rpcrdma " + NUMBER;

    private Version() {}
}
