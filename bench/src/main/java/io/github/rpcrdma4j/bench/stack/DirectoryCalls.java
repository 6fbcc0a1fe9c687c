package io.github.rpcrdma4j.bench.stack;

import java.io.IOException;

/** The calls of sessions with files. */
public interface DirectoryCalls {
    /**
     * Returns a call that looks up the next file of the directory with {@code entries} entries and
     * gets its attributes.
     */
    Session.Call lookups(int entries) throws IOException, InterruptedException;

    /**
     * Returns a call that lists the directory with {@code entries} entries and all attributes of
     * its files.
     */
    Session.Call listing(int entries) throws IOException, InterruptedException;
}
