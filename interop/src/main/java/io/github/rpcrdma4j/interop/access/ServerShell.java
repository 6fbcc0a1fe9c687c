package io.github.rpcrdma4j.interop.access;

import java.io.IOException;
import java.util.List;

/** Runs scripts on a server's machine, to prepare and inspect its files. */
public interface ServerShell {
    /**
     * Runs a shell script as root, in the directory that holds the directories of all exports.
     *
     * @return the lines that the script printed
     * @throws IOException if the script failed; the message has its output
     */
    List<String> run(String script) throws IOException, InterruptedException;
}
