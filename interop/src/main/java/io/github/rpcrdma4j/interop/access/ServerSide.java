package io.github.rpcrdma4j.interop.access;

import java.io.IOException;
import java.util.List;

/** The machine of a server, where its files can be prepared and looked at. */
public interface ServerSide {
    /**
     * Runs a shell script as root, in the directory that holds the directories of all exports.
     *
     * @return the lines it printed
     * @throws IOException if it failed, with what it said
     */
    List<String> run(String script) throws IOException, InterruptedException;
}
