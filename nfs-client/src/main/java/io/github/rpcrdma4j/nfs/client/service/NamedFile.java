package io.github.rpcrdma4j.nfs.client.service;

import io.github.rpcrdma4j.nfs.FileName;
import java.util.Optional;

/** A name in a directory of a server, and the file that has it. */
public record NamedFile(FileName name, FileHandle handle, FileAttributes attributes) {
    /**
     * Returns why the server told nothing of the file but its name, when it was listed. Its
     * attributes are {@link FileAttributes#unknown} then.
     */
    public Optional<Status> refusal() {
        return handle.refused().flatMap(FileHandle.Refused::why);
    }
}
