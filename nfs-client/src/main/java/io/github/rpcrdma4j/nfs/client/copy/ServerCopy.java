package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import java.io.IOException;
import java.util.Optional;

/**
 * Copies a regular file of a server to another place on it. The copy grants no more than its source
 * granted both before the first byte was read and after each part of it.
 *
 * @param from the source, for messages
 * @param to the target, for messages
 */
record ServerCopy(RemoteFiles remote, String from, String to) {
    private CopyContext context() {
        return remote.context();
    }

    /**
     * Returns a file that was listed as it is now: the listing may be outdated.
     *
     * @param from the file, for messages
     * @throws IOException also if it is of another type by now
     */
    static RemoteFile now(CopyContext context, RemoteFile listed, String from)
            throws IOException, InterruptedException {
        var now = context.service().attributes(listed.handle(), "cannot read " + from);
        if (now.type() != listed.attributes().type()) {
            throw new IOException(
                    "cannot read " + from + ": its type has changed since it was listed");
        }
        return new RemoteFile(listed.handle(), now);
    }

    /**
     * Copies the file.
     *
     * @param replaced attributes of the existing file of the target's name
     */
    RemoteFiles.Made run(RemoteFile file, RemotePlace target, Optional<FileAttributes> replaced)
            throws IOException, InterruptedException {
        var source = context().source(file, from);
        var rights = new ReadRights(context(), file, from);
        var filling =
                new RemoteFiles.Filling() {
                    @Override
                    public long fill(FileHandle copy) throws IOException, InterruptedException {
                        return new FileCopy(
                                        context(),
                                        file,
                                        copy,
                                        rights,
                                        "cannot read " + from,
                                        "cannot write " + to)
                                .run(context().outstanding());
                    }

                    @Override
                    public Optional<LocalSource> kept(Optional<LocalSource> before)
                            throws IOException, InterruptedException {
                        return Optional.of(rights.narrowed(source).asLocal());
                    }
                };
        return remote.put(target, Optional.of(source.asLocal()), replaced, to, filling);
    }
}
