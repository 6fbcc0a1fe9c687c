package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.client.local.LocalNames;
import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import io.github.rpcrdma4j.nfs.client.local.LocalTree;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A local path, split into an open tree and a path in it. The tree is the directory of the file.
 * For the root of a file system, which lies in no directory, it is the root itself.
 *
 * @param tree owned by this object, which closes it
 */
record PathInTree(LocalTree tree, LocalPath path) implements AutoCloseable {
    /**
     * Opens the directory of a file. The file itself need not exist.
     *
     * @param file a link at its end is not followed
     * @param what for messages: {@code "cannot write /a/b"}
     */
    static PathInTree open(Path file, String what) throws IOException {
        var whole = file.toAbsolutePath();
        if (whole.getParent() == null) {
            return new PathInTree(LocalTree.open(whole, what), LocalPath.ROOT);
        }
        var path = LocalPath.ROOT.child(LocalNames.of(whole.getFileName()));
        return new PathInTree(LocalTree.open(whole.getParent(), what), path);
    }

    /**
     * Opens the directory that would hold the directory of a file, which does not exist.
     *
     * @param file neither it nor its directory exists
     * @param what for messages: {@code "cannot write /a/b"}
     */
    static PathInTree openMissing(Path file, String what) throws IOException {
        var whole = file.toAbsolutePath();
        var opened = open(whole.getParent(), what);
        return new PathInTree(opened.tree, opened.path.child(LocalNames.of(whole.getFileName())));
    }

    @Override
    public void close() {
        tree.close();
    }
}
