package io.github.rpcrdma4j.cli.hostile;

/** A lie of a hostile server that commands are tried with. */
public interface TriedLie {
    /** Returns its name, in small letters and with hyphens. */
    String word();

    /**
     * Returns whether a command may run without end, because the lie could be an honest server with
     * a large file or a large tree.
     */
    boolean lasts(TrialCommand command);
}
