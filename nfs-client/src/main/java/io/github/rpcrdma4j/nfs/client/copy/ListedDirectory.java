package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.copy.OpenDirectories.Directory;
import io.github.rpcrdma4j.nfs.client.file.NameRoom;
import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import java.io.IOException;
import java.util.List;

/**
 * A source directory of this machine, all of which was read from the same open directory.
 *
 * @param path in the tree, for messages and rules
 * @param opened the directory, which the end of its job closes
 * @param kept what its copy keeps
 * @param names in it
 */
record ListedDirectory(LocalPath path, Directory opened, LocalSource kept, List<FileName> names) {
    /**
     * Lists a directory.
     *
     * @param room for the names; its words are for messages
     */
    static ListedDirectory of(LocalPath path, Directory opened, NameRoom room, CopyContext context)
            throws IOException {
        var what = room.what();
        try (var in = opened.use(what)) {
            var names = in.in().list(in.file(), room, what);
            var source = LocalSource.of(in, in.in().status(in.file(), what), context, what);
            return new ListedDirectory(path, opened, source, names);
        }
    }
}
