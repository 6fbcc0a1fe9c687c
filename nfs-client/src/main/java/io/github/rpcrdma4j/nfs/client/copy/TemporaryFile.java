package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FileService.Filled;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;

/**
 * A file on a server to be filled, and its group.
 *
 * @param left what is to be set still, beside what it keeps of its source
 */
record TemporaryFile(FileHandle handle, int gid, AttributeChanges left) {
    static TemporaryFile of(RemoteFile file) {
        return new TemporaryFile(file.handle(), file.attributes().gid(), AttributeChanges.NONE);
    }

    static TemporaryFile of(Filled made) {
        return new TemporaryFile(made.file().handle(), made.file().attributes().gid(), made.left());
    }

    /** Returns the file with a time of the last read that is to be set, to the server's. */
    TemporaryFile withTimeOfRead() {
        var now = new AttributeChanges.TimeChange.Now();
        return new TemporaryFile(handle, gid, left.withTimes(now, left.modified()));
    }
}
