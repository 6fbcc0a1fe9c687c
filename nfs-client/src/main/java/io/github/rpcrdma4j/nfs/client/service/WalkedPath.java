package io.github.rpcrdma4j.nfs.client.service;

import java.util.List;
import java.util.Optional;

/**
 * The files that some names lead to, one below the other.
 *
 * @param files those that were found, in the order of the names; there may be fewer than names if
 *     the last one is a symbolic link
 * @param failure why the name behind them was not found; empty if it was not looked for
 */
public record WalkedPath(List<RemoteFile> files, Optional<NfsException> failure) {
    /** Copies the list. */
    public WalkedPath {
        files = List.copyOf(files);
    }
}
