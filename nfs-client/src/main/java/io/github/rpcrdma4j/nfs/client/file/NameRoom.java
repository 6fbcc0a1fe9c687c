package io.github.rpcrdma4j.nfs.client.file;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.local.LocalException;
import io.github.rpcrdma4j.nfs.client.local.LocalTree;
import io.github.rpcrdma4j.nfs.client.service.NameMemory;

/**
 * The room for the names of one directory, of a server or of this machine, in a share of the memory
 * for names. Used by the thread of the share.
 *
 * @param what for messages: {@code "cannot list /a"}
 */
public record NameRoom(NameMemory.Share memory, String what) implements LocalTree.Room {
    /** The approximate heap size of a file without its name, in bytes. */
    private static final long FILE_BYTES = 512;

    @Override
    public void take(FileName name, int before) throws LocalException {
        if (!memory.take(FILE_BYTES + name.length())) {
            var detail =
                    "after "
                            + before
                            + " names there is no memory for more (java -Xmx sets how much there"
                            + " is)";
            throw new LocalException(what, LocalException.Reason.OTHER, detail);
        }
    }
}
