package io.github.rpcrdma4j.nfs.client.service;

import io.github.rpcrdma4j.nfs.PathName;
import java.util.List;

/**
 * A directory that a server lets clients mount.
 *
 * @param path from the root of the server
 * @param clients for whom, in the words of the server; empty if it does not say
 */
public record Export(PathName path, List<String> clients) {
    /** Copies the list. */
    public Export {
        clients = List.copyOf(clients);
    }
}
