package io.github.rpcrdma4j.bench.stack;

import java.io.IOException;

/** What only a session with files can do. */
public interface DirectoryCalls {
    /**
     * Finds the files of the directory of so many entries by their names, one after the other, and
     * asks for the attributes of each.
     */
    Session.Call lookups(int entries) throws IOException, InterruptedException;

    /** Lists the directory of so many entries, with all that is known of its files. */
    Session.Call listing(int entries) throws IOException, InterruptedException;
}
