package io.github.rpcrdma4j.nfs.client.service;

import io.github.rpcrdma4j.nfs.FileName;
import java.util.List;
import java.util.Optional;

/**
 * Some names of a directory of a server, as one call lists them.
 *
 * @param verifier goes with the cookies of the page
 * @param isLast whether the directory has no names after these
 */
public record DirectoryPage(long verifier, List<Entry> entries, boolean isLast) {
    /** What a listing asks of the files of a directory, beside their names. */
    public enum Wanted {
        /** Nothing. */
        NAMES,
        /**
         * Their handles, and what a line of {@code ls -l} has: type, permissions, links, owners,
         * size, device and the time of the last change of the content. The other attributes may be
         * 0, 1970 for a time and the size for the storage.
         */
        LINES,
        /** Their handles and all attributes. */
        ALL
    }

    /** Copies the list. */
    public DirectoryPage {
        entries = List.copyOf(entries);
    }

    /**
     * A name of a directory, which may be "." or "..".
     *
     * @param cookie where a listing continues after it
     * @param file empty if the server did not tell its handle or its attributes
     */
    public record Entry(FileName name, long cookie, Optional<RemoteFile> file) {}
}
