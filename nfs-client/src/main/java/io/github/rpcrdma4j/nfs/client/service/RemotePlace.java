package io.github.rpcrdma4j.nfs.client.service;

import io.github.rpcrdma4j.nfs.FileName;

/** A name in a directory of a server, whether or not a file has it. */
public record RemotePlace(FileHandle directory, FileName name) {
    /**
     * Encodes the name in UTF-8.
     *
     * @throws IllegalArgumentException if UTF-8 cannot encode the name
     */
    public RemotePlace(FileHandle directory, String name) {
        this(directory, FileName.of(name));
    }
}
