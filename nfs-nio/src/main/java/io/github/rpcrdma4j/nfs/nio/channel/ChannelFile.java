package io.github.rpcrdma4j.nfs.nio.channel;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.client.service.FileIdentity;
import io.github.rpcrdma4j.nfs.client.service.FileService;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.TransferLimits;
import java.io.IOException;

/**
 * An open file of a channel.
 *
 * @param path for messages
 * @param isDirectory whether it is a directory, which has no bytes to read
 * @param sizeWhenOpened in bytes; it may have changed since
 * @param pool lends native memory
 */
public record ChannelFile(
        FileService service,
        OpenFile open,
        String path,
        FileIdentity identity,
        boolean isDirectory,
        long sizeWhenOpened,
        TransferLimits limits,
        SegmentPool pool) {
    String reading() {
        return "cannot read " + path;
    }

    String writing() {
        return "cannot write " + path;
    }

    String locking() {
        return "cannot lock " + path;
    }

    /**
     * Leases native memory.
     *
     * @throws IOException if the process has used up what it may use
     */
    SegmentPool.Lease lease(long length) throws IOException {
        try {
            return pool.lease(length);
        } catch (BudgetExhaustedException exhausted) {
            throw new IOException("no memory for " + path + ": " + exhausted.getMessage());
        }
    }

    /** Returns the size of the file, which the server is asked for. */
    long size() throws IOException, InterruptedException {
        var what = "cannot stat " + path;
        long size = service.attributes(open.handle(), what).size();
        if (size < 0) {
            throw new IOException(
                    what
                            + ": the server reports an impossible size: "
                            + Long.toUnsignedString(size));
        }
        return size;
    }
}
