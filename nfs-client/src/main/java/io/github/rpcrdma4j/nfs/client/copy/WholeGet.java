package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.client.local.LocalFile;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Copies the contents of a regular file of a server to a local file. The copy grants no more than
 * its source granted both before the first byte was read and after each part of it. For one copy.
 */
final class WholeGet implements LocalFiles.Filling {
    private final CopyContext context;
    private final RemoteFile file;
    private final String from;
    private final boolean hasHoles;
    private final ReadRights rights;

    /**
     * @param from the source, for messages
     * @param hasHoles whether the source has holes
     */
    WholeGet(CopyContext context, RemoteFile file, String from, boolean hasHoles) {
        this.context = context;
        this.file = file;
        this.from = from;
        this.hasHoles = hasHoles;
        this.rights = new ReadRights(context, file, from);
    }

    @Override
    public void fill(LocalFile copy) throws IOException, InterruptedException {
        var writing = FileGet.into(copy, hasHoles);
        var sink =
                new FileGet.Sink() {
                    @Override
                    public void accept(long offset, MemorySegment bytes) throws IOException {
                        writing.accept(offset, bytes);
                    }

                    @Override
                    public void told(Optional<FileAttributes> attributes) {
                        rights.told(attributes);
                    }
                };
        new FileGet(context, file, "cannot read " + from, sink).run(context.outstanding());
        if (hasHoles) {
            copy.resize(file.attributes().size());
        }
    }

    @Override
    public RemoteSource kept(RemoteSource before) throws IOException, InterruptedException {
        return rights.narrowed(before);
    }
}
